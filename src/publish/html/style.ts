/** The page's style: light, dark and print by the same names; no fonts, pictures or scripts from anywhere. */
const LIGHT = `--page:#f4f5f7;--card:#fff;--ink:#16202c;--faint:#5a6675;--line:#dde2e8;--accent:#1f4f8f;--band:#cfe0f3;--shade:#16202c3d;
--good:#2f7d4f;--waiting:#3768a6;--bad:#c0392b;--unknown:#8a6d00;--odd:#7b4fa3;--waived:#5a6675;
--critical:#8e1b1b;--high:#c0392b;--medium:#985607;--low:#5a6675;
--age1:#f0b27a;--age2:#e08e45;--age3:#c86a1e;--age4:#9c4a10;--age5:#6b2d06;
--one:#2b6cb0;--two:#ad4a17;--three:#28744e;--four:#8e4585;--five:#8a6d00`;
const DARK = `--page:#10151c;--card:#19212b;--ink:#e8edf3;--faint:#a3afbd;--line:#313c49;--accent:#8fbcf0;--band:#2c4564;--shade:#000000a0;
--good:#5fbf87;--waiting:#7fb0ea;--bad:#f08a7c;--unknown:#e0bf55;--odd:#c39be8;--waived:#a3afbd;
--critical:#ff7b7b;--high:#f08a7c;--medium:#f0ae62;--low:#a3afbd;
--age1:#7a3d12;--age2:#a65a1f;--age3:#cf7a35;--age4:#ee9f5e;--age5:#ffcf9e;
--one:#74aef0;--two:#f29a5c;--three:#6fcf9a;--four:#d59ad0;--five:#e0bf55`;

const TONES = ['good', 'waiting', 'bad', 'unknown', 'odd', 'waived', 'critical', 'high', 'medium', 'low']
  .map((tone) => `.badge.tone-${tone}{color:var(--${tone})}`)
  .join('');

export const STYLE = `
:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
header,main,footer{max-width:1320px;margin:0 auto;padding:0 20px}
header{padding-top:32px}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 4px;letter-spacing:-.01em}
h2{font-size:1.3rem;line-height:1.25;margin:0 0 6px}
h3{font-size:1rem;margin:22px 0 10px}
p{margin:0 0 10px;max-width:75ch}
a{color:var(--accent)}
a:focus-visible,.scroll:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.skip{position:absolute;left:-999px}.skip:focus{left:20px;top:8px;background:var(--card);padding:8px;z-index:1}
.meta{color:var(--faint);font-size:.9rem}
.stake{font-size:1.35rem;font-weight:600;line-height:1.4;margin:16px 0 0;max-width:none;display:flex;flex-wrap:wrap;gap:2px 16px;align-items:baseline}
.stake .sum{white-space:nowrap}.stake .part,.stake .risk{font-size:.95rem;font-weight:400;color:var(--faint)}
.headline{font-size:1.15rem;line-height:1.45;margin:10px 0 6px;padding-left:14px;border-left:5px solid var(--good)}
.headline.bad{border-color:var(--bad)}.headline.unknown{border-color:var(--unknown)}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:4px 18px;padding:0;margin:14px 0 0;font-size:.95rem}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:22px 24px;margin:18px 0}
.tiles{display:grid;grid-template-columns:repeat(7,1fr);gap:12px;margin:18px 0 0;padding:0}
.tiles div{background:var(--card);border:1px solid var(--line);border-top:4px solid var(--tone,var(--faint));border-radius:8px;padding:12px 14px}
.tiles dt{color:var(--faint);font-size:.85rem}
.tiles dd{margin:0;font-size:1.6rem;font-weight:600;line-height:1.2}
.tiles .part{font-size:.85rem;font-weight:400;color:var(--faint);white-space:nowrap}
.lead{font-size:1.02rem}
figure{margin:0 0 8px}
figure .pair{display:grid;grid-template-columns:minmax(0,1fr);gap:14px 32px}
@media (min-width:1000px){figure .beside{grid-template-columns:minmax(0,560px) minmax(0,1fr);align-items:start}}
.chart svg{display:block;max-width:100%;height:auto}
.narrow{display:none}
.scroll{overflow-x:auto;border-radius:4px;position:relative;background:linear-gradient(to right,var(--card) 40%,transparent) 0 0/40px 100% no-repeat local,linear-gradient(to left,var(--card) 40%,transparent) 100% 0/40px 100% no-repeat local,linear-gradient(to right,var(--shade),transparent) 0 0/14px 100% no-repeat scroll,linear-gradient(to left,var(--shade),transparent) 100% 0/14px 100% no-repeat scroll}
table{border-collapse:collapse;width:100%;font-size:.88rem;line-height:1.35}
caption{text-align:left;color:var(--faint);padding:0 0 6px;font-size:.85rem}
caption span{display:block;max-width:min(75ch,calc(100vw - 54px))}
.tall caption span{max-width:min(75ch,calc(100vw - 80px))}
.tall{max-height:30rem;overflow-y:auto;border:1px solid var(--line);border-radius:6px;padding:8px 12px}
.tall thead th{position:sticky;top:-8px;background:var(--card)}
time{white-space:nowrap}
th,td{text-align:left;vertical-align:top;padding:6px 12px 6px 0;border-bottom:1px solid var(--line);font-weight:400;min-width:4.5em;overflow-wrap:normal}
td.long{min-width:15.5em;overflow-wrap:anywhere}
.word{white-space:nowrap}
thead th{color:var(--faint);font-weight:600;font-size:.8rem;vertical-align:bottom;border-bottom:2px solid var(--line)}
tbody th{font-weight:500}
.number{text-align:right;white-space:nowrap}
thead .number{white-space:normal}
.currency{color:var(--faint);font-size:.85em}
.none{color:var(--faint)}
.note{color:var(--faint);font-size:.85rem;margin:8px 0 0}
code{font:.85em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:normal}
.badge{display:inline-block;border:1px solid;border-radius:99px;padding:0 8px;font-size:.8rem;font-weight:600;white-space:nowrap}
${TONES}
.spoken{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
footer{color:var(--faint);font-size:.85rem;padding-bottom:40px}
@media (max-width:900px){.tiles{grid-template-columns:repeat(3,1fr)}}
@media (max-width:640px){
header,main,footer{padding-left:12px;padding-right:12px}
section{padding:16px 14px;border-radius:8px}
.tiles{grid-template-columns:repeat(2,1fr);gap:8px}
.tiles dd{font-size:1.35rem}
h1{font-size:1.4rem}
.stake{font-size:1.15rem}
.broad::before{content:"Swipe sideways for more columns →";display:block;position:sticky;left:0;color:var(--accent);font-size:.85rem;font-weight:600;padding:0 0 4px}
td.long{min-width:24em}
.wide{display:none}.narrow{display:block}
}
@media print{
:root{color-scheme:light;${LIGHT};--page:#fff}
body{font-size:8.5pt;line-height:1.35;overflow-wrap:normal;print-color-adjust:exact;-webkit-print-color-adjust:exact}
header,main,footer{max-width:none;padding:0}main{columns:2;column-gap:8mm}
nav,.skip,.control{display:none}.broad::before{content:none}
h1{font-size:14pt}h2{font-size:11pt;margin:0 0 2px}h3{font-size:8.5pt;margin:8px 0 3px}p,.headline,.lead{font-size:8.5pt;margin:0 0 4px;max-width:none}.meta{font-size:8pt}.stake{font-size:9.5pt;margin:4px 0 0}.stake .part,.stake .risk{font-size:8pt}
section{border:0;border-top:1px solid var(--line);border-radius:0;padding:5px 0 6px;margin:0;break-inside:auto}
figure:has(td.long,.vast),section:has(td.long,.vast)>:is(h2,.lead){column-span:all}
figure{margin:0}figure .pair{display:block}figure .chart{break-inside:avoid}.chart svg{max-height:80mm;width:auto}.tiles{grid-template-columns:repeat(7,1fr);gap:6px;margin:6px 0}.tiles div{padding:3px 8px}.tiles dt,.tiles .part{font-size:7pt}.tiles dd{font-size:10pt}h3+.pair{break-before:avoid}
p{break-inside:avoid;orphans:4;widows:4}h2,h3,h2+.lead,caption,thead{break-after:avoid}.short table{break-inside:avoid}tbody tr:first-child{break-before:avoid;break-after:avoid}
thead{display:table-header-group}tr{break-inside:avoid}
.note{break-before:avoid;font-size:7pt;margin:2px 0}
.scroll,.tall{overflow:visible;max-height:none;border:0;padding:0;background:none}figure .beside{grid-template-columns:minmax(0,1fr);gap:4px}
.wide,.beside .narrow{display:none}.narrow,.beside .wide{display:block}.narrow.control{display:none}
table{font-size:7pt;line-height:1.25}caption{font-size:7pt;padding:0 0 2px;break-inside:avoid}caption span{max-width:none}thead th{font-size:6.6pt}th,td{min-width:0;padding:1.5px 5px 1.5px 0;overflow-wrap:normal;word-break:normal;hyphens:none}td.long{min-width:13em}.badge{font-size:6pt;padding:0 4px;line-height:1.2}code{font-size:6pt}.broad table{font-size:6.5pt}.broad th,.broad td{padding-right:4px}.vast .number{white-space:normal}
footer{padding:0}
@page{size:A4 landscape;margin:9mm}
}`;
