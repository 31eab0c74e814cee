import { expect, test } from 'vitest';
import { withoutCounter } from './formats/allure-results.ts';

const counter = `<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>
    <script>
        window.dataLayer = window.dataLayer || [];
        function gtag(){dataLayer.push(arguments);}
        gtag('js', new Date());
    </script>
    `;
const own = '<script src="app.js"></script>\n<script>window.ready = true;</script>\n';

test('the counter of the page is removed, and nothing else', () => {
  expect(withoutCounter(`<body>${own}${counter}${own}</body>`)).toBe(`<body>${own}${own}</body>`);
  expect(withoutCounter(own)).toBe(own);
});

test.for([
  ['<script src="https://stats.example/x.js"></script>'],
  ["<script src='//stats.example/x.js'></script>"],
  ['<script>var q; gtag("config", 1)</script>'],
])('another counter is not let by: %s', ([script = '']) => {
  expect(() => withoutCounter(`${own}${script}`)).toThrow(/still loads/u);
});
