/** The head of every page: a style of its own, nothing loaded from elsewhere, no referrer sent. */

import { createHash } from 'node:crypto';
import { visibleLine } from '../visible-text.ts';
import { type Content, markup, Markup } from './markup.ts';

export interface DocumentHead {
  readonly title: string;
  readonly style: string;
  /** The one script of the page; none unless told. */
  readonly script?: string;
  /** Further elements. */
  readonly also?: Content;
  /** False for a page whose server sends the policy as a header. */
  readonly statesPolicy?: boolean;
}

/** A content security policy that allows this style and this script, and nothing else. */
export function policyFor({ style, script }: Pick<DocumentHead, 'style' | 'script'>): string {
  return [
    `default-src 'none'`,
    `style-src ${hashOf(style)}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** The `head` element. */
export function documentHead(head: DocumentHead): Markup {
  const policy = markup`<meta http-equiv="Content-Security-Policy" content="${policyFor(head)}" />`;
  return markup`<head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${head.statesPolicy === false ? '' : policy}
        <meta name="referrer" content="no-referrer" />
        ${head.also ?? ''}
        <title>${visibleLine(head.title, 200)}</title>
        <style>${new Markup(head.style)}</style>
      </head>`;
}
