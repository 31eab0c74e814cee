/** The building blocks of every page: safe markup, head, style, script, anchors and tables. */

import { createHash } from 'node:crypto';
import { visibleLine, visibleText } from '../model/text.ts';
import type { ConformanceReport } from '../../schemas/report.ts';

/** Safe markup. Only `markup` makes it. */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  /** Its size in bytes. */
  get bytes(): number {
    return Buffer.byteLength(this.#text);
  }
}

/** A value in a template. `undefined` and `false` add nothing. */
export type Content = string | number | Markup | undefined | false | readonly Content[];

/** A template for markup. Values may stand between tags or inside quoted attributes, nowhere else. */
export function markup(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  let text = parts[0] ?? '';
  for (const [index, value] of values.entries()) text += rendered(value) + (parts[index + 1] ?? '');
  return new Markup(text);
}

export const nothing: Markup = new Markup('');

/** Escapes text for use between tags and in quoted attributes. */
function escapeText(text: string): string {
  return visibleText(text).replaceAll(/[&<>"'`]/gu, (sign) => `&#${sign.charCodeAt(0)};`);
}

function rendered(value: Content): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Markup) return value.toString();
  if (typeof value === 'object') return value.map(rendered).join('');
  return escapeText(String(value));
}

/** The anchor of a part or a requirement in the section of a target, or of the section itself. */
export function targetAnchor(report: ConformanceReport, target: string, part = ''): string {
  const number = report.targets.findIndex(({ name }) => name === target) + 1;
  return `target-${number}${part === '' ? '' : `-${part}`}`;
}

/** A link to a requirement of a target. */
export function linkTo(report: ConformanceReport, target: string, id: string): Markup {
  return markup`<a href="#${targetAnchor(report, target, id)}">${id}</a>`;
}

/** The remaining bytes for a part of the page. */
export class Space {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** The first form that still fits, from full to short. The last one is always used. */
  first(...forms: readonly [() => Markup, ...(() => Markup)[]]): Markup {
    const last = forms.length - 1;
    for (const form of forms.slice(0, last)) {
      const made = form();
      if (made.bytes <= this.#left) return this.#take(made);
    }
    return this.#take((forms[last] ?? forms[0])());
  }

  #take(made: Markup): Markup {
    this.#left -= made.bytes;
    return made;
  }
}

/** A table that scrolls horizontally if it is too wide. `kind` is its class, `label` its name if it has no caption. */
export function scrolling(
  {
    kind,
    label,
    caption,
    head,
  }: {
    readonly kind?: string;
    readonly label?: string | undefined;
    readonly caption?: string;
    readonly head: Content;
  },
  rows: Content,
): Markup {
  return markup`<div class="scroll" tabindex="0"${label !== undefined && markup` role="region" aria-label="${label}"`}>
    <table${kind !== undefined && markup` class="${kind}"`}>
      ${caption !== undefined && markup`<caption>${caption}</caption>`}
      <thead>
        <tr>${head}</tr>
      </thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`;
}

/** The cells of a table head. */
export function heads(names: readonly string[]): Content {
  return names.map((name) => markup`<th scope="col">${name}</th>`);
}

/** A table of plain texts. */
export function table(names: readonly string[], rows: readonly (readonly string[])[]): Markup {
  return scrolling(
    {
      label: names[0],
      head: names.map((name) => markup`<th class="head" scope="col">${name}</th>`),
    },
    rows.map(
      ([first, ...others]) =>
        markup`<tr><th scope="row">${first}</th>${others.map((cell) => markup`<td>${cell}</td>`)}</tr>`,
    ),
  );
}

const light = `--paper:#fff;--sheet:#f6f7f9;--ink:#1b1f24;--faint:#57606a;--line:#d5dae0;--link:#0758b8;
--passed:#1a7f4b;--failed:#c4232f;--warned:#9a6200;--error:#8a2fb8;--inconclusive:#6f6a00;--waived:#4a6b8a;--missing:#9aa3ad;--observed:#2467b0;--mark:#ffd9d6;--shade:36,103,176;color-scheme:light;`;
const dark = `--paper:#111418;--sheet:#1a1f25;--ink:#e7eaee;--faint:#9aa5b1;--line:#333b45;--link:#79b4ff;
--passed:#43b97c;--failed:#ff6b6f;--warned:#e0a13a;--error:#c98af0;--inconclusive:#c9c04a;--waived:#86aacb;--missing:#5c6772;--observed:#5aa2ee;--mark:#7a2328;--shade:90,162,238;color-scheme:dark;`;

const tones = [
  'passed',
  'failed',
  'warned',
  'error',
  'inconclusive',
  'waived',
  'missing',
  'observed',
];

export const style = `
:root{${light}}
@media (prefers-color-scheme:dark){:root{${dark}}}
*{box-sizing:border-box}
body{margin:0;overflow-wrap:anywhere;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}
main,header,nav,footer{max-width:1120px;margin:0 auto;padding:0 20px}
.skip{position:absolute;left:-9999px}.skip:focus{left:8px;top:8px;background:var(--paper);padding:8px}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .3rem;overflow-wrap:anywhere}
h2{font-size:1.35rem;margin:2.4rem 0 .6rem;padding-top:.6rem;border-top:1px solid var(--line)}
h2.small{font-size:1rem;margin:1rem 0 .3rem;padding:0;border:0}
h3{font-size:1.05rem;margin:0 0 .3rem;overflow-wrap:anywhere}
h4{font-size:.85rem;margin:.8rem 0 .25rem;color:var(--faint);font-weight:600}
p{margin:.3rem 0;overflow-wrap:anywhere}
.lead{font-size:1.15rem}
main>section:first-child h2{border-top:0;margin-top:1rem}
.faint{color:var(--faint);font-weight:400;font-size:.9em}
.note{border-left:4px solid var(--warned);padding-left:10px}
.verdict{margin:28px 0 0;padding-left:18px;border-left:8px solid var(--missing)}
.verdict.conforms{border-color:var(--passed)}.verdict.violates{border-color:var(--failed)}.verdict.unjudged{border-color:var(--error)}.verdict.nothing-exercised,.verdict.undecided{border-color:var(--inconclusive)}
.bar{display:block;width:100%;height:18px;border-radius:5px;background:var(--sheet)}
.legend,.profiles,.requirements,.plain,.pieces,.changes,.ids{list-style:none;padding:0;margin:.3rem 0}
.legend li,.profiles li{display:inline-block;margin-right:18px;font-size:.9rem}
.dot{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:6px}
.profiles .met{color:var(--passed)}.profiles .unmet{color:var(--warned)}
.facts{display:flex;flex-wrap:wrap;gap:6px 28px;margin:1rem 0 0}.facts div{min-width:0}
.facts dt{font-size:.78rem;color:var(--faint)}.facts dd{margin:0;overflow-wrap:anywhere}
.facts.run{border-top:1px solid var(--line);padding-top:.8rem;margin-top:1.4rem}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:2px 20px;padding:8px 0 0;margin:1rem 0 0}
.broken{border:1px solid var(--line);border-left:6px solid var(--failed);border-radius:6px;padding:14px 16px;margin:14px 0}
.broken.warned{border-left-color:var(--warned)}
.finding{border-top:1px solid var(--line);margin-top:.7rem;padding-top:.4rem}
.message{font-weight:600}
.badge{display:inline-block;font-size:.75rem;font-weight:700;border:1.5px solid currentColor;border-radius:4px;padding:0 6px;white-space:nowrap}
.sides,.wire{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,380px),1fr));gap:0 16px}.sides>*,.wire>*{min-width:0}
pre,code{font-family:ui-monospace,'Cascadia Mono',Menlo,'DejaVu Sans Mono',monospace;font-size:.85rem}
code{overflow-wrap:anywhere}
pre{background:var(--sheet);border:1px solid var(--line);border-radius:5px;padding:8px 10px;margin:0 0 .3rem;white-space:pre-wrap;overflow-wrap:anywhere;max-height:26rem;overflow:auto}
pre.command{border-left:4px solid var(--link)}
mark{background:var(--mark);color:inherit;border-radius:2px;text-decoration:underline;text-decoration-thickness:2px}
summary{cursor:pointer;padding:3px 0;overflow-wrap:anywhere}
.label{font-size:.82rem;margin:.7rem 0 .2rem;color:var(--faint);font-weight:600}
.causes li{margin:.45rem 0}.doubts li{margin:.7rem 0}
.permalink{text-decoration:none;font-weight:400;opacity:.6}.permalink:hover,.permalink:focus{opacity:1}
.copy{font-size:.78rem;padding:1px 10px;margin:0 0 .5rem}
.others{margin:-6px 0 14px 18px}
nav{position:sticky;top:0;z-index:1;background:var(--paper);border-bottom:1px solid var(--line)}
main [id]{scroll-margin-top:7rem}
.exchange{margin:.4rem 0}
.missing{margin:.8rem 0}
.section{border-bottom:1px solid var(--line);padding:4px 0}
.requirement{padding:8px 0 8px 14px;border-left:2px solid var(--line);margin:0;overflow-wrap:anywhere}
.requirement:target,.broken:target{background:var(--sheet)}
[hidden]{display:none!important}
.filter{display:flex;flex-wrap:wrap;gap:4px 16px;align-items:center;margin:.3rem 0;padding-bottom:6px}
@media (max-width:1000px){nav{position:static}main [id]{scroll-margin-top:0}}
.filter fieldset{border:0;padding:0;margin:0;display:flex;flex-wrap:wrap;gap:2px 12px}.filter legend{position:absolute;left:-9999px}
input[type=search],button{font:inherit;padding:4px 10px;border:1px solid var(--line);border-radius:5px;background:var(--paper);color:inherit}
.scroll{overflow-x:auto;margin:.2rem 0 1rem}
table{border-collapse:collapse;font-size:.9rem}caption{text-align:left;color:var(--faint);padding:4px 0}
th,td{text-align:left;vertical-align:top;padding:5px 10px;border-bottom:1px solid var(--line)}
thead th[scope=col].head{white-space:nowrap}
th[scope=row]{font-weight:400;min-width:12rem;overflow-wrap:anywhere}
.matrix td,.latency td{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}.matrix thead th{vertical-align:bottom;font-weight:600}
.matrix thead th span{writing-mode:vertical-rl;transform:rotate(180deg);max-height:15rem;font-size:.82rem}
.matrix td,.matrix thead th{padding:4px 7px}.matrix tbody th{white-space:nowrap}
${[1, 2, 3, 4].map((shade) => `.shade-${shade}{background:rgba(var(--shade),${(shade * 0.16).toFixed(2)})}`).join('')}
svg{max-width:100%}.spread{width:400px;height:22px}.axis{stroke:var(--faint);stroke-width:1.5}.median{stroke:var(--ink);stroke-width:3}
.timeline{width:100%;height:34px}.mark{stroke:var(--observed);stroke-width:2}.end{stroke:var(--failed);stroke-width:2}
.pieces li{margin:1px 0}.time{display:inline-block;min-width:5.5rem;color:var(--faint);font-size:.85rem}
.states{min-width:900px;width:100%}.state rect{fill:var(--sheet);stroke:var(--line);stroke-width:1.5}.state text{font-size:11.5px;text-anchor:middle;fill:var(--faint)}
.state.visited rect{stroke:var(--observed);stroke-width:2.5}.state.visited text{fill:var(--ink);font-weight:600}
.edge{fill:none;stroke:var(--missing);stroke-width:1.5;stroke-dasharray:4 4}.edge.seen{stroke:var(--observed);stroke-width:2.5;stroke-dasharray:none}
.arrow{fill:context-stroke}.count{font-size:13px;font-weight:700;fill:var(--ink);text-anchor:middle;stroke:var(--paper);stroke-width:5px;paint-order:stroke}
.changes li{display:inline-block;margin-right:20px}
${tones.map((tone) => `.fill-${tone}{fill:var(--${tone})}.back-${tone}{background:var(--${tone})}.badge.${tone === 'missing' ? 'not-exercised' : tone}{color:var(--${tone === 'missing' ? 'faint' : tone})}`).join('')}
footer{margin:3rem auto 2rem;color:var(--faint);font-size:.85rem}
@media print{:root{${light}}body{font-size:11pt}nav,.copy,.permalink,.others,main>section:not(.part-broken,.part-doubt){display:none}.part-broken{break-before:page}pre{max-height:none}.broken .finding:first-of-type .exchange:first-of-type::details-content{content-visibility:visible;display:block}.scroll{overflow:visible}.states{min-width:0}.finding{break-inside:avoid-page}main,header{max-width:none}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`;

export interface DocumentHead {
  readonly title: string;
  readonly style: string;
  /** The only script of the page (default: none). */
  readonly script?: string;
  /** Additional elements of the head. */
  readonly also?: Content;
}

/** A content security policy that allows only this style and this script. */
export function policyFor(head: Pick<DocumentHead, 'style' | 'script'>): string {
  return [
    `default-src 'none'`,
    `style-src ${hashOf(head.style)}`,
    ...(head.script === undefined ? [] : [`script-src ${hashOf(head.script)}`]),
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** A complete HTML document. */
export function documentOf(head: DocumentHead, body: Content): string {
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${policyFor(head)}" />
        <meta name="referrer" content="no-referrer" />
        ${head.also}
        <title>${visibleLine(head.title, 200)}</title>
        <style>${new Markup(head.style)}</style>
      </head>
      <body>
        ${body}
        ${head.script !== undefined && markup`<script>${new Markup(head.script)}</script>`}
      </body>
    </html> `.toString();
}
