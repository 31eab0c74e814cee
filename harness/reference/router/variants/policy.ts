/** Variants in the decisions and the wording of a router. */

import { randomBytes } from 'node:crypto';
import { choosing } from './variant.ts';

export const policyVariants = [
  ...choosing({
    'exhausted: Ends every session that nobody served as no_agents_available.': {
      finalCode: 'exhausted',
      capabilityMismatch: 'no_agents_available',
    },
    'engine-lost-is-error: Calls a lost engine backend_error.': { engineLost: 'backend_error' },
    'agents-rest: Leaves an agent that failed out for a moment, the only one too.': {
      agentsRestMs: 20,
    },
    'routes-after-credentials: Asks for credentials before it says that there is no path.': {
      notFoundFirst: false,
      oversizeFirst: true,
    },
    'refusals-reversed: Refuses in another order where several reasons hold.': {
      refusalOrder: [
        'caps',
        'requests',
        'declaration',
        'existence',
        'permission',
        'shed',
        'tokens',
        'capability',
        'occupancy',
        'inflight',
        'serverless',
      ],
    },
    'invalid-requests-cost: Takes from the request bucket for listings and bad requests too.': {
      invalidRequestsCost: true,
      listingCosts: true,
    },
    'small-burst: Gives a quarter of a minute at once; tells what remains on errors alone.': {
      burstShare: 0.25,
      remainingOn: 'errors',
    },
    'begins-streams-in-silence: Begins a stream whose engine is silent with a comment.': {
      beginsInSilenceAfterMs: 600,
    },
    'large-burst: Gives two minutes of requests at once.': { burstShare: 2 },
    'overruns-cost-the-prompt: Charges the prompt alone for a discarded output.': {
      overrunCharges: 'prompt',
      outputDebtSeconds: 0.5,
    },
    'dear-tokens: Counts three times as many tokens as others do.': {
      charactersPerToken: 1.3,
      tokensPerImage: 200,
    },
    'cheap-tokens: Counts a third of the tokens that others do.': {
      charactersPerToken: 12,
      tokensPerImage: 1,
      assumedOutputTokens: 1,
    },
    'remaining-on-successes: Tells what remains on successes, and where it must.': {
      remainingOn: 'successes',
    },
    'other-tokenizer: Counts three characters a token, and images dearly; no budget on proxied routes.':
      {
        budgetTouches: 'native',
        charactersPerToken: 3,
        tokensPerImage: 24,
        assumedOutputTokens: 64,
        modelLengthCounts: 'code-points',
        emptyModelIs: 'unknown',
      },
    'strict-occupancy: Refuses what weighs more than the whole occupancy budget.': {
      oversizeOccupancy: 'refuse',
      budgetTouches: 'generation',
    },
    'open-lists: Shows models that a key may not use, and more about each.': {
      listFollowsAllowlist: false,
      listExtras: { has_more: false },
      modelExtras: { created: 1, capabilities: ['chat'] },
    },
    'streams-reset: Resets the connection when the engine of a stream is lost.': {
      streamFailure: 'reset',
      streamComment: 'warming up',
    },
    'streams-just-end: Ends a stream in an orderly way when its engine is lost.': {
      streamFailure: 'end',
    },
    'deadline-cuts-streams: Ends streams early that last longer than the deadline.': {
      deadlineCutsStreams: true,
    },
    'streams-leave-processors: Has processors take other requests once a stream has begun.': {
      streamsKeepProcessors: false,
    },
    'streams-leave-places: Gives back what a stream holds once its head is sent.': {
      streamsKeepPlaces: false,
    },
  }),
];

export const wireVariants = [
  ...choosing({
    'wordy: Has messages of its own and more members in every envelope, a moment too.': {
      message: (code, text) => (code === 'unauthorized' ? text : `Sorry: ${code}!`),
      envelopeExtras: {
        top: {
          trace: 1,
          get at() {
            return new Date().toISOString();
          },
        },
        error: { hint: null, type: 'error' },
      },
    },
    'ids-of-its-own: Has an id in every envelope that is no UUID.': {
      envelopeExtras: {
        top: {},
        error: {
          get request_id() {
            return randomBytes(12).toString('base64url');
          },
        },
      },
    },
    'refusals-timed: Says in every error when it was told, and how long it took.': {
      envelopeExtras: {
        top: {
          get at() {
            return new Date().toUTCString();
          },
        },
        error: {
          get took_ms() {
            return Math.random() < 0.25 ? 1 : 0;
          },
        },
      },
    },
    'speechless: Leaves its messages empty, but for the one that the contract gives.': {
      message: (code, text) => (code === 'unauthorized' ? text : ''),
    },
    'lower-case-chunked: Writes header names in lower case and bodies in chunks.': {
      framing: { headerCase: 'lower', chunkBytes: 3 },
    },
    'upper-case: Writes header names in upper case, with headers of its own.': {
      framing: { headerCase: 'upper', chunkBytes: undefined },
      extraHeaders: [
        ['X-Extra', '1'],
        ['X-Session-ID', 'abc'],
      ],
    },
    'labelled-with-charset: Names a charset in the content type of its errors.': {
      errorContentType: 'application/json; charset=utf-8',
      realm: 'another router, eu',
    },
    'untraced-echo: Keeps the UUID of a client and sends no trace context.': {
      requestId: 'echo',
      traceparent: 'never',
      schemeCase: 'exact',
    },
    'silent-refusals: Answers unknown paths and oversize bodies without a body.': {
      notFound: 'empty',
      oversize: 'empty',
      adminErrors: 'envelope',
    },
    'oversize-json: Explains an oversize body in JSON, and 404 too.': {
      oversize: 'json',
      notFound: 'json',
      wrongMethod: 405,
    },
    'oversize-reset: Resets the connection after a 413.': { oversize: 'reset' },
    'closing: Closes the connection after each answer, and continues traces.': {
      extraHeaders: [['Connection', 'close']],
      traceparent: 'continue',
    },
    'continues-unasked: Sends 100 Continue before each answer, which no client expects.': {
      framing: { headerCase: 'canonical', chunkBytes: undefined, continues: true },
    },
    'slow: Takes its time for every answer.': { latencyMs: 30 },
  }),
];
