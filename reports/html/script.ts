/** The page's only script: it filters and folds. Everything can be read without it. */

export const script = `
for (const form of document.querySelectorAll('form.filter')) {
  const part = form.parentElement;
  const search = form.querySelector('input[type=search]');
  const boxes = [...form.querySelectorAll('input[type=checkbox]')];
  const rows = [...part.querySelectorAll('li.requirement')];
  const folds = [...part.querySelectorAll('details.section')];
  const none = part.querySelector('.none');
  const told = form.querySelector('output');
  const filter = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const verdicts = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    const narrowed = words.length > 0 || verdicts.size < boxes.length;
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !verdicts.has(row.dataset.verdict) || !words.every((word) => text.includes(word));
      if (!row.hidden) shown += 1;
    }
    for (const fold of folds) {
      fold.hidden = !fold.querySelector('li.requirement:not([hidden])');
      if (narrowed && !fold.hidden) fold.open = true;
    }
    none.hidden = shown > 0;
    told.textContent = narrowed ? shown + ' of ' + rows.length + ' shown' : '';
  };
  const setAll = (open) => { for (const fold of folds) fold.open = open; };
  form.addEventListener('input', filter);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.querySelector('.unfold').addEventListener('click', () => setAll(true));
  form.querySelector('.fold').addEventListener('click', () => setAll(false));
  form.hidden = false;
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
  closed = [...document.querySelectorAll('article.broken details:not([open])')];
  for (const fold of closed) fold.open = true;
});
addEventListener('afterprint', () => { for (const fold of closed) fold.open = false; });
`;
