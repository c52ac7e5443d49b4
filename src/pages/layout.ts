/** What every page has: head, navigation, the person, and parts that several pages share. */

import { type Break, isOnRecord } from '../domain/break.ts';
import { minorUnitDigits } from '../domain/currency.ts';
import { type Decimal, footingPlaces } from '../domain/decimal.ts';
import { type Instant, isoInstant, showInstant } from '../domain/record.ts';
import { asideOf } from '../domain/stake.ts';
import { grouped } from '../publish/html/markup.ts';
import { eachPart } from '../text/each-part.ts';
import { may } from '../worklist/roles.ts';
import type { Person } from './contract.ts';
import { type Html, html, type Value } from './html.ts';

/** What a page shows of its request: the person, and the CSRF token of its forms. */
export interface Frame {
  person: Person | null;
  csrf: string;
  /** The last action, shown above the page; null for none. */
  said: { text: string; tone: 'good' | 'bad' | 'warn' } | null;
}

interface PageParts {
  title: string;
  /** The address in the navigation that this page belongs to. */
  at?: string;
  body: Html;
}

const PLACES = [
  ['/breaks', 'Breaks'],
  ['/groups', 'Groups'],
  ['/claims', 'Claims'],
  ['/months', 'Months'],
  ['/revenue', 'Revenue'],
  ['/runs', 'Runs'],
  ['/records', 'Records'],
  ['/mentions', 'For me'],
] as const;

/** The type of every page, with its character set. */
export const HTML_TYPE = 'text/html; charset=utf-8';

export function pageHtml(frame: Frame, { title, at, body }: PageParts): string {
  const { person, said } = frame;
  return withHeads(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Tieout</title>
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/assets/style.css">
<script src="/assets/keys.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div class="in"><a class="brand" href="/breaks">Tieout</a>
${person !== null && navigation(person, at)}
${person !== null && whoIs(person, frame)}
</div></header>
<main id="main">
${said !== null && html`<p class="says ${said.tone}" role="status">${said.text}</p>`}
${body}
</main>
${person !== null && html`<footer><p>Times are UTC. An en dash (–) is unknown, never zero. <span class="keys">Keys: <kbd>j</kbd> <kbd>k</kbd> rows, <kbd>x</kbd> tick, <kbd>Enter</kbd> open, <kbd>[</kbd> <kbd>]</kbd> previous and next, <kbd>u</kbd> back to the list, <kbd>d</kbd> decide, <kbd>n</kbd> note, <kbd>/</kbd> search.</span></p></footer>`}
</body>
</html>
`);
}

/** On a phone the heads of a folded table are not seen, so that each cell names its own. */
function withHeads(page: Html): string {
  return eachPart(String(page), '<table class="fold', '</table>', (table) => {
    const heads: string[] = [];
    eachPart(table, '<th scope="col"', '</th>', (head) => {
      heads.push(eachPart(head, '<', '>', () => '').trim());
      return head;
    });
    return eachPart(table, '<tr', '</tr>', (row) => {
      const left = heads.values();
      return row.replace(/<(?:td|th scope="row")(?=[ >])/g, (tag) => `${tag} data-head="${left.next().value ?? ''}"`);
    });
  });
}

function navigation(person: Person, at: string | undefined): Html {
  const places = may(person.roles, 'administer') ? [...PLACES, ['/access', 'Access'] as const] : PLACES;
  return html`<nav aria-label="Main"><ul>${places.map(
    ([path, name]) => html`<li><a href="${path}"${at === path && html` aria-current="page"`}>${name}</a></li>`,
  )}</ul></nav>`;
}

function whoIs({ actor, roles, session }: Person, frame: Frame): Html {
  return html`<div class="who"><span><bdi>${actor.name}</bdi> (${roles.join(', ')})</span>${
    session !== null &&
    html`<form method="post" action="/sign-out">${token(frame)}<button class="plain">Sign out</button></form>`
  }</div>`;
}

/** The CSRF token, which every form that changes data carries. */
export function token({ csrf }: Frame): Html {
  return html`<input type="hidden" name="_csrf" value="${csrf}">`;
}

export const UNKNOWN = html`<span class="faint" title="unknown">–<span class="spoken"> unknown</span></span>`;

/**
 * To the currency's own places, every digit in the title; an amount that would be shown as zero has all its digits.
 * @param bare leaves the currency out, where a column or a row has it
 */
export function money(amount: Decimal | null, currency: string | null, bare?: 'bare'): Html {
  const digits = currency === null ? undefined : minorUnitDigits(currency);
  const isRounded = amount !== null && digits !== undefined && (amount.isZero || !amount.rounded(digits).isZero);
  return figure(amount, currency, (exact) => (isRounded ? exact.toPlaces(digits) : exact.toString()), bare);
}

/** Amounts that are compared on a page, with the places, `from` on, at which they foot with their difference. */
export function comparedMoney(
  a: Decimal,
  b: Decimal,
  currency: string,
  from = minorUnitDigits(currency) ?? 2,
): typeof money {
  const places = footingPlaces(a, b, from);
  return (amount) => figure(amount, currency, (all) => all.toPlaces(places));
}

/** A rate, a crypto amount or a tolerance, with every digit. */
export function exact(amount: Decimal | null, currency: string | null): Html {
  return figure(amount, currency, (all) => all.toString());
}

/** A currency code may have twenty characters. */
function figure(
  amount: Decimal | null,
  currency: string | null,
  show: (amount: Decimal) => string,
  bare?: 'bare',
): Html {
  if (amount === null) return UNKNOWN;
  const shown = grouped(show(amount));
  return html`<data value="${amount.toString()}" title="exactly ${amount.toString()} ${currency ?? ''}">${shown}</data>${
    currency !== null && bare === undefined && html` <span class="cur cut" title="${currency}">${currency}</span>`
  }`;
}

/** What is at stake of a break's record, and what of it is pending, claimed or waived. */
export function stake(each: Break): Html {
  const { breakId, leadingBreakId, moneyAtStake, moneyAside, moneyMoved, recordCurrency } = each;
  const aside = asideOf(each);
  if (moneyAtStake === null && leadingBreakId !== null && leadingBreakId !== breakId)
    return html`on <a href="/breaks/${leadingBreakId}">the leading break</a>`;
  if (moneyAtStake === null && aside === null) return moneyMoved === 'no' ? html`none` : UNKNOWN;
  const kept = aside === null ? null : html`<span class="faint">${money(moneyAside, recordCurrency)} ${aside}</span>`;
  if (moneyAtStake === null) return html`${kept}`;
  return html`${money(moneyAtStake, recordCurrency)}${kept !== null && html`<br>${kept}`}`;
}

/** A sentence with its amounts in the format of the page: `1561.15 USD` as `1,561.15 USD`, and a minus before it as a minus. */
export function prose(text: string): string {
  return text
    .replace(/^-(?=\d)/, '−')
    .replace(/(?<![\w.:/-])\d{4,}(?:\.\d+(?![.\w])|(?= [A-Z][A-Z0-9_]{2,}\b))/g, grouped);
}

export function instant(at: Instant | null): Value {
  return at === null ? UNKNOWN : html`<time datetime="${isoInstant(at)}">${showInstant(at)}</time>`;
}

export function pairs(all: readonly (readonly [string, Value])[]): Html {
  const known = all.filter(([, value]) => value !== null && value !== '' && value !== false);
  return html`<dl class="pairs">${known.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>`;
}

/** A sentence of a rule, with the names that it quotes: `slippage.csv`. */
export function withNames(text: string): Html {
  return html`${text.split('`').map((part, i) => (i % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}

/** A code with places to break. */
export function code(text: string): Html {
  return html`<code>${text.split('_').map((word, i) => (i === 0 ? html`${word}` : html`_<wbr>${word}`))}</code>`;
}

/** To the page of the record; breaks about payments and runs have none. */
export function recordLink({ kind, recordId }: Pick<Break, 'kind' | 'recordId'>): Html {
  const name = html`${kind} <code>${recordId}</code>`;
  return isOnRecord(kind) ? html`<a href="/records/${kind}/${encodeURIComponent(recordId)}">${name}</a>` : name;
}
