/** The style of the pages: light, dark and print by the same names. Served as a file, so that no page needs inline style. */
const LIGHT = `--page:#f4f5f7;--card:#fff;--ink:#16202c;--faint:#55606e;--line:#d5dbe2;--accent:#1f4f8f;--on-accent:#fff;--soft:#e8eef6;
--bad:#b3261e;--good:#22683d;--warn:#8a5a00;--critical:#8e1b1b;--high:#b3261e;--medium:#8f4f00;--low:#4c5866;--info:#4c5866`;
const DARK = `--page:#10151c;--card:#19212b;--ink:#e8edf3;--faint:#a9b5c2;--line:#35414f;--accent:#8fbcf0;--on-accent:#0d1520;--soft:#22303f;
--bad:#f39a8e;--good:#6fcf9a;--warn:#ecc468;--critical:#ff8f8f;--high:#f39a8e;--medium:#f0ae62;--low:#a9b5c2;--info:#a9b5c2`;

/** An equals sign. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1f4f8f"/><path d="M4 6h8M4 10h8" stroke="#fff" stroke-width="2"/></svg>';

export const STYLE = `:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.top{background:var(--card);border-bottom:1px solid var(--line)}
.top .in{max-width:1320px;margin:0 auto;padding:10px 20px;display:flex;flex-wrap:wrap;gap:6px 22px;align-items:center}
.brand{font-weight:700;letter-spacing:-.01em;color:var(--ink);text-decoration:none}
header nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:2px 4px;margin:0;padding:0}
header nav a{display:block;padding:5px 10px;border-radius:6px;text-decoration:none;color:var(--ink)}
header nav a:hover{background:var(--soft)}
header nav a[aria-current]{background:var(--soft);font-weight:600;box-shadow:inset 0 -2px var(--accent)}
.who{margin-left:auto;display:flex;gap:10px;align-items:center;color:var(--faint);font-size:.9rem}
main{max-width:1320px;margin:0 auto;padding:18px 20px 60px}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 4px;letter-spacing:-.01em}
h2{font-size:1.1rem;margin:0 0 10px}
p{margin:0 0 10px;max-width:80ch}
a{color:var(--accent)}
.lead{font-size:1.12rem;line-height:1.5;max-width:85ch}
.faint{color:var(--faint)}
.crumb{font-size:.9rem;margin-bottom:10px;display:flex;flex-wrap:wrap;gap:4px 16px}
section.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:18px 20px;margin:14px 0}
.split{display:grid;grid-template-columns:minmax(0,1fr) 340px;gap:0 18px;align-items:start}
.split>aside section.card:first-child,.split>div section.card:first-child{margin-top:14px}
.scroll{overflow-x:auto;position:relative}
table{border-collapse:collapse;width:100%;font-size:.92rem;line-height:1.4}
caption{text-align:left;color:var(--faint);font-size:.9rem;padding:0 0 8px}
th,td{text-align:left;vertical-align:top;padding:8px 14px 8px 0;border-bottom:1px solid var(--line);font-weight:400;overflow-wrap:normal}
thead th{color:var(--faint);font-weight:600;font-size:.82rem;vertical-align:bottom;border-bottom:2px solid var(--line);white-space:nowrap}
thead a{color:inherit}
tbody tr:hover{background:var(--soft)}
td.words,th.words{min-width:20em;overflow-wrap:anywhere}
td.id,th.id{max-width:17em;overflow-wrap:anywhere;min-width:8em}
@media screen and (min-width:641px){table.wide td:not(.words){white-space:nowrap}}
.num{text-align:right;white-space:nowrap}
thead .num{text-align:right}
.cur{color:var(--faint);font-size:.85em}
.cut{display:inline-block;max-width:10ch;overflow:hidden;text-overflow:ellipsis;vertical-align:bottom;white-space:nowrap}
code{font:.88em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{font:.85em/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--soft);border-radius:6px;padding:12px;overflow:auto;max-height:28rem;margin:0 0 10px}
.badge{display:inline-block;border:1px solid currentColor;border-radius:99px;padding:0 8px;font-size:.8rem;font-weight:600;white-space:nowrap}
.critical{color:var(--critical)}.high{color:var(--high)}.medium{color:var(--medium)}.low{color:var(--low)}.info{color:var(--info)}
.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
.pills{display:flex;flex-wrap:wrap;gap:6px;margin:12px 0;padding:0;list-style:none}
.pills a,.pill{display:inline-flex;gap:6px;align-items:center;background:var(--soft);border:1px solid var(--line);border-radius:99px;padding:2px 10px;font-size:.88rem;text-decoration:none;color:var(--ink)}
.pills a:hover{border-color:var(--accent)}
form.row,div.row{display:flex;flex-wrap:wrap;gap:10px 12px;align-items:end}
form.stack{display:grid;gap:10px}
form.stack>button{justify-self:start}
dl.pairs+p,dl.pairs+div.row,dl.pairs+details,dl.pairs+form,form+p,form+details,div.row+p,.scroll+p{margin-top:12px}aside dl.pairs{grid-template-columns:minmax(5em,max-content) minmax(0,1fr)}
.short,.who button{white-space:nowrap}
td.pick,th.pick{width:2em;padding-right:4px}
#chosen{margin-top:14px;align-items:center}
label{display:grid;gap:3px;font-size:.85rem;color:var(--faint)}
label.check{display:flex;gap:8px;align-items:center;color:var(--ink)}
input,select,textarea{font:inherit;color:var(--ink);background:var(--card);border:1px solid var(--faint);border-radius:6px;padding:6px 9px;min-width:0;max-width:100%}
input[aria-invalid]{border-color:var(--bad);outline:1px solid var(--bad)}
textarea{width:100%;min-height:4.6em;resize:vertical}
input[type=checkbox]{width:1.1em;height:1.1em}.row :is(input:not([type=checkbox]),select,button,.check),details.more :is(input,select){min-height:38px}
button,.button{font:inherit;font-weight:600;border:1px solid var(--accent);background:var(--accent);color:var(--on-accent);border-radius:6px;padding:6px 14px;cursor:pointer;text-decoration:none;display:inline-block}
button.second,.button.second{background:var(--card);color:var(--accent)}
button.plain{background:none;border:0;color:var(--accent);padding:0;font-weight:400;text-decoration:underline}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
details.more{margin-top:12px}
.crumb.actions{margin:14px 0 0}
tr.at{background:var(--soft)}
details>summary{cursor:pointer;font-weight:600;color:var(--accent)}
details[open]>summary{margin-bottom:10px}
dl.pairs{display:grid;grid-template-columns:minmax(7em,13em) minmax(0,1fr);gap:4px 16px;margin:0}
dl.pairs dt{color:var(--faint)}dl.pairs dd{margin:0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(130px,1fr));gap:10px;margin:14px 0;padding:0}
.tiles div{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 14px}
.tiles dt{color:var(--faint);font-size:.85rem}.tiles dd{margin:0;font-size:1.45rem;font-weight:600;line-height:1.25}
.says{white-space:pre-line;border-left:5px solid var(--good);background:var(--card);padding:10px 14px;margin:12px 0;border-radius:0 6px 6px 0}
.says.bad{border-color:var(--bad);color:var(--ink)}.says.warn{border-color:var(--warn);color:var(--ink)}
.empty{padding:34px 10px;text-align:center;color:var(--faint)}
.empty p{margin-inline:auto}
.pager{display:flex;gap:14px;justify-content:space-between;margin:14px 0;flex-wrap:wrap}
.life{list-style:none;margin:0;padding:0}
.life li{border-left:2px solid var(--line);padding:0 0 10px 14px;margin-left:5px}
.skip{position:absolute;left:-999px}.skip:focus{left:20px;top:8px;background:var(--card);padding:8px;z-index:2}
.spoken{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
kbd{font:.85em ui-monospace,monospace;border:1px solid var(--line);border-bottom-width:2px;border-radius:4px;padding:0 5px;background:var(--card)}
footer{max-width:1320px;margin:0 auto;padding:0 20px 40px;color:var(--faint);font-size:.85rem}footer p{max-width:none}
@media (max-width:900px){.split{grid-template-columns:minmax(0,1fr)}}
@media (max-width:640px){.keys{display:none}.top .in,main,footer{padding-left:12px;padding-right:12px}.who{margin-left:0}section.card{padding:14px}dl.pairs{grid-template-columns:minmax(0,1fr)}dl.pairs dd{margin-bottom:6px}
table.fold thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table.fold,table.fold caption,table.fold tbody,table.fold tr,table.fold td,table.fold th{display:block;min-width:0;max-width:none}
table.fold tr{padding:10px 0;border-bottom:1px solid var(--line)}table.fold td,table.fold th{border:0;padding:1px 0;text-align:left;overflow-wrap:anywhere;white-space:normal}table.fold .aside{display:none}table.fold td:not(.pick,[data-head=""])::before{content:attr(data-head) " ";color:var(--faint);font-size:.85rem}}
@media print{:root{color-scheme:light;${LIGHT};--page:#fff}.top nav,.who,form,form.row,form.stack,details:has(form),.crumb a,.actions,section.card:has(>h2+form),td input,.pager,.skip,footer,.pick,.button,.pills a span{display:none}.top .in{padding:0}main{max-width:none;padding:0}section.card{border:0;padding:0 0 8px}.split{grid-template-columns:minmax(0,1fr)}tr{break-inside:avoid}table{font-size:.76rem}thead th,thead .num{white-space:normal}th,td{padding:5px 8px 5px 0}td.words,th.words{min-width:17em}td.id,th.id{min-width:9em}h2,caption,thead{break-after:avoid}tbody tr:first-child{break-before:avoid;break-after:avoid}thead{display:table-header-group}.scroll{overflow:visible}pre{max-height:none;white-space:pre-wrap}td.words code{font-size:.72em}
body:has(table.broad){page:broad}table.broad{font-size:.7rem}table.broad :is(th,td){padding-right:6px}
table.wide thead,table.wide .aside{display:none}table.wide,table.wide :is(caption,tbody){display:block}table.wide tr{display:block;columns:3;column-gap:14px;padding:6px 0;border-bottom:1px solid var(--line)}table.wide td{display:block;border:0;padding:1px 0;break-inside:avoid;overflow-wrap:anywhere}table.wide td::before{content:attr(data-head) " ";color:var(--faint)}
@page{margin:14mm}@page broad{size:landscape;margin:12mm}}
`;
