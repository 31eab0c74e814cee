/** What the base URL of a target must look like. */

import { contractOf } from '../contracts.ts';
import type { Contract } from '../../schemas/requirement.ts';

/** True for 127.0.0.0/8, `[::1]` and `localhost`. */
export function isLoopback(url: URL): boolean {
  const host = url.hostname;
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/u.test(host);
}

export interface UrlProblem {
  readonly problem: string;
  readonly hint: string;
}

/** A usable base URL without slash at its end, or what is wrong with it. The problem never repeats the URL. */
export function readBaseUrl(
  contract: Contract,
  text: string,
): { readonly url: URL; readonly baseUrl: string } | UrlProblem {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const { address } = contractOf(contract);
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return { problem: 'not an http or https URL', hint: `Write it as in ${address.example}.` };
  }
  if (url.username !== '' || url.password !== '') {
    return {
      problem: 'a base URL must not carry a user name or password',
      hint: 'Take them out; keys go under keys and are sent as bearer tokens.',
    };
  }
  if (url.search !== '' || url.hash !== '') {
    return {
      problem: 'a base URL must not have a query or a fragment',
      hint: 'End it with the path.',
    };
  }
  const path = url.pathname.replace(/\/+$/u, '');
  const wrong = address.problem(path);
  if (wrong !== undefined) {
    const served = path.endsWith('/v1')
      ? ''
      : ', or the address under which the deployment serves /v1';
    return { problem: wrong.problem, hint: `Write ${url.origin}${wrong.right}${served}.` };
  }
  return { url, baseUrl: `${url.origin}${path}` };
}
