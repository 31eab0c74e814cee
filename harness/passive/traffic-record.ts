/** Assembles exchanges from the bytes of one connection. */

import type { Contract } from '../../schemas/requirement.ts';
import type { Target } from '../../schemas/target.ts';
import type { Ending, Exchange, HeaderLines } from '../exchange/exchange.ts';
import { ReceivedBody } from '../exchange/received-body.ts';
import { type AfterHead, type MessageHead, MessageReader } from './message-reader.ts';

/** The location of a deployment according to its target file. */
export interface Place {
  readonly contract: Contract;
  readonly target: string;
  /** `https://host:port`. */
  readonly origin: string;
  /** Path of the base URL without a trailing slash, possibly empty. */
  readonly basePath: string;
}

/** The place of a target. */
export function placeOf({
  contract,
  name,
  baseUrl,
}: Pick<Target, 'contract' | 'name' | 'baseUrl'>): Place {
  const { origin, pathname } = new URL(baseUrl);
  return { contract, target: name, origin, basePath: pathname.replace(/\/+$/u, '') };
}

/** Receives what the records of all connections produce. */
export interface RecordSink {
  exchange(exchange: Exchange): void;
  /** A request has begun (1) or ended (-1). */
  underWay(change: 1 | -1): void;
  /** From now on the connection is relayed without being read. */
  unreadable(reason: 'notHttp' | 'upgraded'): void;
  /** Returns a unique id for an exchange. */
  name(): string;
}

interface UnderWay {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderLines;
  readonly body: ReceivedBody;
  readonly startedAt: number;
  readonly from: number;
  /** The final response, once its head has arrived. */
  response: { readonly status: number; readonly headers: HeaderLines } | undefined;
  readonly responseBody: ReceivedBody;
  headMs: number | undefined;
}

export class TrafficRecord {
  readonly #place: Place;
  readonly #onExchange: RecordSink;
  /** Maximum bytes of each body that are kept for judging. */
  readonly #bodyBytes: number;
  readonly #requests: MessageReader;
  readonly #responses: MessageReader;
  readonly #underWay: UnderWay[] = [];
  #sending: UnderWay | undefined;
  #receiving: UnderWay | undefined;
  #readable = true;
  #boundaries: { readonly kind: 'head' | 'end'; readonly offset: number }[] = [];

  constructor(place: Place, onExchange: RecordSink, bodyBytes: number) {
    this.#place = place;
    this.#onExchange = onExchange;
    this.#bodyBytes = bodyBytes;
    this.#requests = new MessageReader('REQUEST', {
      head: (head, offset) => {
        this.#boundaries.push({ kind: 'head', offset });
        this.#begin(head);
        return undefined;
      },
      body: (bytes) => this.#sending?.body.add(bytes, 0),
      end: (offset) => {
        this.#boundaries.push({ kind: 'end', offset });
        this.#sending = undefined;
      },
    });
    this.#responses = new MessageReader('RESPONSE', {
      head: (head) => this.#answer(head),
      body: (bytes) => {
        const one = this.#receiving;
        one?.responseBody.add(bytes, performance.now() - one.from);
      },
      end: () => this.#complete(),
    });
  }

  /** False once the connection is no longer readable as HTTP. */
  get isReadable(): boolean {
    return this.#readable;
  }

  /** Reads bytes from the client. Returns where heads and messages end in them. */
  sent(bytes: Buffer): readonly { readonly kind: 'head' | 'end'; readonly offset: number }[] {
    if (!this.#readable) return [];
    this.#boundaries = [];
    if (this.#requests.read(bytes) !== undefined) this.#giveUp('notHttp');
    return this.#boundaries;
  }

  received(bytes: Buffer): void {
    if (!this.#readable) return;
    if (this.#responses.read(bytes) !== undefined) this.#giveUp('notHttp');
    else if (this.#responses.stopped) this.#giveUp('upgraded');
  }

  /** The server has closed its side. `blameless` if the client hung up first. */
  serverClosed(blameless: boolean): void {
    if (!this.#readable) return;
    // This ends a body without a length, and the reader reports its end.
    this.#responses.close();
    this.#endAll(blameless ? 'aborted' : 'cut-short', 'the server closed the connection');
  }

  broken(ending: Ending, cause: string): void {
    if (this.#readable) this.#endAll(ending, cause);
  }

  #begin(head: MessageHead): void {
    const one: UnderWay = {
      method: head.method,
      target: head.target,
      headers: head.headers,
      body: new ReceivedBody(this.#bodyBytes),
      startedAt: Date.now(),
      from: performance.now(),
      response: undefined,
      responseBody: new ReceivedBody(this.#bodyBytes),
      headMs: undefined,
    };
    this.#sending = one;
    this.#underWay.push(one);
    this.#onExchange.underWay(1);
  }

  #answer(head: MessageHead): AfterHead {
    const [one] = this.#underWay;
    // Interim responses are passed on. The final response is still to come.
    if (head.status < 200 && head.status !== 101) return 'no-body';
    if (head.status === 101) return 'stop';
    // A server may send a response without a request, such as 408 on an idle connection. It is ignored.
    if (one === undefined) return undefined;
    if (one.method === 'CONNECT' && head.status < 300) return 'stop';
    one.response = { status: head.status, headers: head.headers };
    one.headMs = performance.now() - one.from;
    this.#receiving = one;
    return one.method === 'HEAD' ? 'no-body' : undefined;
  }

  #complete(): void {
    const one = this.#receiving;
    if (one === undefined) return;
    this.#receiving = undefined;
    this.#underWay.splice(this.#underWay.indexOf(one), 1);
    this.#finish(one, 'complete', undefined);
  }

  #endAll(ending: Ending, cause: string): void {
    this.#readable = false;
    this.#receiving = undefined;
    for (const one of this.#underWay.splice(0)) this.#finish(one, ending, cause);
  }

  #finish(one: UnderWay, ending: Ending, cause: string | undefined): void {
    if (this.#sending === one) this.#sending = undefined;
    this.#onExchange.underWay(-1);
    this.#onExchange.exchange(this.#exchangeOf(one, ending, cause));
  }

  #giveUp(reason: 'notHttp' | 'upgraded'): void {
    this.#readable = false;
    this.#onExchange.unreadable(reason);
    for (const _ of this.#underWay.splice(0)) this.#onExchange.underWay(-1);
  }

  #exchangeOf(one: UnderWay, ending: Ending, cause: string | undefined): Exchange {
    const { contract, target, origin } = this.#place;
    const asked = locate(this.#place, one.target);
    const cut = ending === 'complete' && one.responseBody.isCut;
    return {
      id: this.#onExchange.name(),
      contract,
      target,
      request: {
        method: one.method,
        url: one.target.startsWith('/') ? `${origin}${one.target}` : one.target,
        path: asked.path,
        query: asked.query,
        headers: one.headers,
        body: one.body.taken().body,
        credential: undefined,
      },
      response: one.response && { ...one.response, ...one.responseBody.taken() },
      ending: cut ? 'too-large' : ending,
      cause: cut ? `only the first ${this.#bodyBytes} bytes of the body were kept` : cause,
      startedAt: one.startedAt,
      headMs: one.headMs,
      durationMs: performance.now() - one.from,
      retries: 0,
    };
  }
}

/** Path relative to the base URL, and query. A path outside the base URL lacks its leading slash. */
export function locate(
  { basePath }: Pick<Place, 'basePath'>,
  target: string,
): { readonly path: string; readonly query: string } {
  const local = /^https?:\/\/[^/?#]*/iu.exec(target);
  const rest = local === null ? target : target.slice(local[0].length);
  const mark = rest.indexOf('?');
  const whole = mark === -1 ? rest : rest.slice(0, mark);
  const query = mark === -1 ? '' : rest.slice(mark + 1);
  const isBelow = whole.startsWith(`${basePath}/`);
  return { path: isBelow ? whole.slice(basePath.length) : whole.replace(/^\/+/u, ''), query };
}
