/** The script of the page: it filters, copies commands, and opens the folds that a link or a printout needs. */

export const script = `
const form = document.querySelector('form.filter');
if (form) {
  const search = form.querySelector('input[type=search]');
  const boxes = [...form.querySelectorAll('input[type=checkbox]')];
  const rows = [...document.querySelectorAll('header [data-verdict], main [data-verdict]')];
  const folds = [...document.querySelectorAll('main details.section')];
  const others = [...document.querySelectorAll('main details.others')];
  const none = form.querySelector('.none');
  const told = form.querySelector('output');
  const listed = rows.filter((row) => row.matches('li.requirement')).length;
  const filter = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const verdicts = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    const narrowed = words.length > 0 || verdicts.size < boxes.length;
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !verdicts.has(row.dataset.verdict) || !words.every((word) => text.includes(word));
      if (!row.hidden && row.matches('li.requirement')) shown += 1;
    }
    for (const fold of [...folds, ...others]) {
      fold.hidden = !fold.querySelector('[data-verdict]:not([hidden])');
      if (narrowed && !fold.hidden) fold.open = true;
    }
    none.hidden = shown > 0;
    told.textContent = narrowed ? shown + ' of ' + listed + ' shown' : '';
  };
  const setAll = (open) => { for (const fold of [...folds, ...others]) fold.open = open; };
  form.addEventListener('input', filter);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.querySelector('.unfold').addEventListener('click', () => setAll(true));
  form.querySelector('.fold').addEventListener('click', () => setAll(false));
  form.hidden = false;
}
for (const command of document.querySelectorAll('pre.command')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    getSelection().selectAllChildren(command);
    try {
      await navigator.clipboard.writeText(command.textContent);
    } catch {
      document.execCommand('copy');
    }
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  command.after(button);
}
const reveal = () => {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!place) return;
  for (let fold = place.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
  place.scrollIntoView();
};
addEventListener('hashchange', reveal);
reveal();
let closed = [];
addEventListener('beforeprint', () => {
  closed = [...document.querySelectorAll('article.broken .finding:first-of-type details.exchange:not([open])')];
  for (const fold of closed) fold.open = true;
});
addEventListener('afterprint', () => { for (const fold of closed) fold.open = false; });
`;
