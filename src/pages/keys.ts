/**
 * The script of the pages, served as a file. Comfort only: j and k walk the rows, x ticks one, Enter opens one, [ and ] go
 * through the view, d goes to the decision, n to the note, / to the search. Everything works without it.
 */
export const SCRIPT = `(() => {
  'use strict';
  const typing = (el) => el && (/^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName) || el.isContentEditable);
  const links = () => [...document.querySelectorAll('[data-row] a[data-open]')];
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(document.activeElement)) return;
    if (event.key === 'j' || event.key === 'k') {
      const all = links();
      if (all.length === 0) return;
      const at = all.indexOf(document.activeElement);
      const to = event.key === 'j' ? Math.min(all.length - 1, at + 1) : Math.max(0, at - 1);
      all[to].focus();
      all[to].closest('[data-row]').scrollIntoView({ block: 'nearest' });
      event.preventDefault();
      return;
    }
    const rel = { '[': 'a[rel=prev]', ']': 'a[rel=next]', u: 'a[data-up]' }[event.key];
    if (rel) { document.querySelector(rel)?.click(); return; }
    const place = { d: 'form[action$="/decide"] select', n: 'form[action$="/notes"] textarea' }[event.key];
    const found = place && document.querySelector(place);
    if (found) { found.focus(); event.preventDefault(); return; }
    if (event.key === 'x') { const box = document.activeElement?.closest('[data-row]')?.querySelector('input[type=checkbox]'); if (box) box.checked = !box.checked; return; }
    if (event.key === '/') { const search = document.querySelector('input[name=text]'); if (search) { search.focus(); event.preventDefault(); } }
  });
})();
`;
