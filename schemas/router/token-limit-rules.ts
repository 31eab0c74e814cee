/** Token limit rules: the daily token budget before and after a completion, and in streams. */

import { routerSection } from './section.ts';

const alone = ['keys.tokensPerDay', 'models.chat'] as const;
const scripted = ['keys.tokensPerDay', 'models.chat', 'backend'] as const;

export const tokenLimitRequirements = routerSection('token-limit-rules', {
  'max-tokens-too-large': {
    clause: 'router#token-limit-rules/1',
    strength: 'stated',
    statement: 'A `max_tokens` that does not fit the daily budget is token_limit_exceeded.',
    needs: alone,
  },
  'max-completion-tokens-too-large': {
    clause: 'router#token-limit-rules/1',
    strength: 'stated',
    statement:
      'A `max_completion_tokens` that does not fit the daily budget is token_limit_exceeded.',
    needs: alone,
  },
  'prompt-too-large': {
    clause: 'router#token-limit-rules/1',
    strength: 'stated',
    statement:
      'A prompt far larger than the daily budget is token_limit_exceeded with a small maximum too.',
    needs: alone,
  },
  'budget-on-messages': {
    clause: 'router#token-limit-rules/1',
    strength: 'implied',
    statement:
      'Where requests of the messages route take of the daily budget, one that does not fit it is token_limit_exceeded.',
    needs: alone,
  },
  'sum-too-large': {
    clause: 'router#token-limit-rules/1',
    strength: 'stated',
    statement:
      'A prompt and a `max_tokens` that fit the daily budget each, and not together, are token_limit_exceeded.',
    judged:
      'six tenths of the budget as words and nine tenths as maximum, where that maximum alone is served',
    needs: scripted,
  },
  'up-front-reaches-no-engine': {
    clause: 'router#token-limit-rules/1',
    strength: 'stated',
    statement: 'A request that does not fit the daily budget is refused before an engine sees it.',
    judged: 'no hit, though the engine is scripted to answer briefly',
    needs: scripted,
  },
  'up-front-remaining-header': {
    clause: 'router#token-limit-rules/1/header',
    strength: 'open',
    statement: 'Whether the refusal before routing says how many tokens remain, and how many.',
    needs: alone,
  },
  'smaller-max-tokens': {
    clause: 'router#token-limit-rules/1/reduce',
    strength: 'stated',
    statement: 'The same prompt with a small `max_tokens` passes after the refusal.',
    needs: scripted,
  },
  'up-front-what-is-left': {
    clause: 'router#token-limit-rules/1',
    strength: 'stated',
    statement:
      'A maximum that fits the whole daily budget, and not what is left of it, is refused before an engine sees it.',
    judged: 'a maximum of four fifths, when a completion that was delivered has taken nearly half',
    needs: scripted,
  },
  'smaller-max-completion-tokens': {
    clause: 'router#token-limit-rules/1/reduce',
    strength: 'stated',
    statement: 'The same prompt with a small `max_completion_tokens` passes after the refusal.',
    needs: scripted,
  },
  'smaller-prompt': {
    clause: 'router#token-limit-rules/1/reduce',
    strength: 'stated',
    statement: 'A short prompt passes after a long one was refused.',
    needs: scripted,
  },
  overrun: {
    clause: 'router#token-limit-rules/2',
    strength: 'stated',
    statement:
      'A completion whose real output no longer fits the budget ends as token_limit_exceeded.',
    needs: scripted,
  },
  'overrun-discards-output': {
    clause: 'router#token-limit-rules/2',
    strength: 'stated',
    statement: 'Nothing of the output that overran the budget reaches the client.',
    needs: scripted,
  },
  'overrun-remaining-zero': {
    clause: 'router#token-limit-rules/2/header',
    strength: 'stated',
    statement: 'The refusal of an overrun says that zero tokens remain.',
    needs: scripted,
  },
  'overrun-one-hit': {
    clause: 'router#token-limit-rules/2/work',
    strength: 'stated',
    statement: 'A completion that overruns the budget reached an engine exactly once.',
    needs: scripted,
  },
  'overrun-deduction-remains': {
    clause: 'router#token-limit-rules/2/deduction',
    strength: 'stated',
    statement: 'What the prompt of an overrun cost stays deducted from the budget.',
    judged: 'by the remaining tokens that later answers of the same key tell',
    needs: scripted,
  },
  'stream-overrun-status': {
    clause: 'router#token-limit-rules/3',
    strength: 'stated',
    statement: 'A stream that overruns the budget has status 200.',
    needs: scripted,
  },
  'stream-overrun-delivered': {
    clause: 'router#token-limit-rules/3',
    strength: 'stated',
    statement: 'A stream that overruns the budget reaches the client whole.',
    needs: scripted,
  },
  'stream-overrun-accounted': {
    clause: 'router#token-limit-rules/3/accounting',
    strength: 'implied',
    statement: 'After a stream that used up the budget a further request is token_limit_exceeded.',
    needs: scripted,
  },
  'stream-output-accounted': {
    clause: 'router#token-limit-rules/3/accounting',
    strength: 'stated',
    statement: 'The output of a stream that fits the daily budget counts against it.',
    judged:
      'a maximum of nearly half the budget is refused, when a completion and a stream that were delivered have taken nine tenths',
    needs: scripted,
  },
  'stream-up-front': {
    clause: 'router#token-limit-rules/1',
    strength: 'stated',
    statement: 'A stream that does not fit the budget is refused as JSON before it begins.',
    needs: alone,
  },
  'budget-per-key': {
    clause: 'router#limits/daily-tokens',
    strength: 'stated',
    statement: 'While one key has spent its tokens another key is served.',
    needs: scripted,
  },
  'budget-back-next-day': {
    clause: 'router#limits/daily-tokens/reset',
    strength: 'stated',
    statement:
      'A key that has spent its daily tokens is served again when the next UTC day begins.',
    judged:
      'by runs that begin in the half minute before midnight UTC, as the Date of the answers has it',
    needs: scripted,
  },
  'budget-on-other-routes': {
    clause: 'router#limits/daily-tokens',
    strength: 'open',
    statement: 'Whether the daily budget touches embeddings and token counting.',
    needs: ['keys.tokensPerDay', 'models.embedding', 'backend'],
  },
});
