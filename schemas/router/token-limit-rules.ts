/** Token limit rules: the daily token budget before and after a completion, and in streams. */

import { needing } from './needs.ts';
import { all, clause, excluded, stated, open, section } from '../requirement.ts';

const alone = needing('keys.tokensPerDay', 'models.chat');
const scripted = needing('keys.tokensPerDay', 'models.chat', 'backend');

export const tokenLimit = section('router', 'token-limit-rules', [
  excluded.heading('token-limit-rules', 'Errors, Token limit rules'),
  clause('token-limit-rules/1', 'Errors, Token limit rules: rule 1, check before', {
    ...all(stated, alone.needs, {
      'max-tokens-too-large':
        'A `max_tokens` that does not fit the daily budget is token_limit_exceeded.',
      'max-completion-tokens-too-large':
        'A `max_completion_tokens` that does not fit the daily budget is token_limit_exceeded.',
      'prompt-too-large':
        'A prompt far larger than the daily budget is token_limit_exceeded with a small maximum too.',
    }),
    'budget-on-messages': alone.implied(
      'Where requests of the messages route take of the daily budget, one that does not fit it is token_limit_exceeded.',
    ),
    'sum-too-large': scripted.stated(
      'A prompt and a `max_tokens` that fit the daily budget each, and not together, are token_limit_exceeded.',
      'six tenths of the budget as words and nine tenths as maximum, where that maximum alone is served',
    ),
    'up-front-reaches-no-engine': scripted.stated(
      'A request that does not fit the daily budget is refused before an engine sees it.',
      'no hit, though the engine is scripted to answer briefly',
    ),
    'up-front-what-is-left': scripted.stated(
      'A maximum that fits the whole daily budget, and not what is left of it, is refused before an engine sees it.',
      'a maximum of four fifths, when a completion that was delivered has taken nearly half, and one of nearly all, when a prompt of three tenths was answered with nothing',
    ),
    'stream-up-front': alone.stated(
      'A stream that does not fit the budget is refused as JSON before it begins.',
    ),
  }),
  clause('token-limit-rules/1/header', 'Errors, Token limit rules: rule 1, header', {
    'up-front-remaining-header': alone.open(
      'Whether the refusal before routing says how many tokens remain, and how many.',
    ),
  }),
  clause('token-limit-rules/1/reduce', 'Errors, Token limit rules: rule 1, a smaller request', {
    ...all(stated, scripted.needs, {
      'smaller-max-tokens': 'The same prompt with a small `max_tokens` passes after the refusal.',
      'smaller-max-completion-tokens':
        'The same prompt with a small `max_completion_tokens` passes after the refusal.',
      'smaller-prompt': 'A short prompt passes after a long one was refused.',
    }),
  }),
  clause('token-limit-rules/2', 'Errors, Token limit rules: rule 2, overrun', {
    ...all(stated, scripted.needs, {
      overrun:
        'A completion whose real output no longer fits the budget ends as token_limit_exceeded.',
      'overrun-discards-output':
        'Nothing of the output that overran the budget reaches the client.',
    }),
  }),
  clause(
    'token-limit-rules/2/deduction',
    'Errors, Token limit rules: rule 2, what stays deducted',
    {
      'overrun-deduction-remains': scripted.stated(
        'What the prompt of an overrun cost stays deducted from the budget.',
        'by the remaining tokens that later answers of the same key tell',
      ),
    },
  ),
  excluded.inside('token-limit-rules/2/audit', 'Errors, Token limit rules: rule 2, audit record'),
  clause('token-limit-rules/2/header', 'Errors, Token limit rules: rule 2, header', {
    'overrun-remaining-zero': scripted.stated(
      'The refusal of an overrun says that zero tokens remain.',
    ),
  }),
  clause('token-limit-rules/2/work', 'Errors, Token limit rules: rule 2, work of the backend', {
    'overrun-one-hit': scripted.stated(
      'A completion that overruns the budget reached an engine exactly once.',
    ),
  }),
  clause('token-limit-rules/3', 'Errors, Token limit rules: rule 3, streams', {
    ...all(stated, scripted.needs, {
      'stream-overrun-status': 'A stream that overruns the budget has status 200.',
      'stream-overrun-delivered': 'A stream that overruns the budget reaches the client whole.',
    }),
  }),
  clause(
    'token-limit-rules/3/accounting',
    'Errors, Token limit rules: rule 3, accounting afterward',
    {
      'stream-overrun-accounted': scripted.implied(
        'After a stream that used up the budget a further request is token_limit_exceeded.',
      ),
      'stream-output-accounted': scripted.stated(
        'The output of a stream that fits the daily budget counts against it.',
        'a maximum of nearly half the budget is refused, when a completion and a stream that were delivered have taken nine tenths',
      ),
    },
  ),
  excluded.inside('token-limit-rules/3/metric', 'Errors, Token limit rules: rule 3, metric'),
  clause('limits/daily-tokens', 'Limits: daily tokens', {
    'budget-per-key': scripted.stated('While one key has spent its tokens another key is served.'),
    'budget-on-other-routes': open(
      'Whether the daily budget touches embeddings and token counting.',
      ['keys.tokensPerDay', 'models.embedding', 'backend'],
    ),
  }),
  clause('limits/daily-tokens/reset', 'Limits: daily tokens, reset', {
    'budget-back-next-day': scripted.stated(
      'A key that has spent its daily tokens is served again when the next UTC day begins.',
      'by runs that begin in the half minute before midnight UTC, as the Date of the answers has it',
    ),
  }),
]);
