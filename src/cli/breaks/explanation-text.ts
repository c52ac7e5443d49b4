/** The story of a break as a person reads it, section by section. */

import type { Decimal } from '../../domain/decimal.ts';
import { showInstant } from '../../domain/record.ts';
import { type BreakStory, sidesOf, type Today } from '../../explain/story.ts';
import type { PastBreakEvent } from '../../ports/store/breaks.ts';
import { figure, signed, type WorkingLine } from '../../rules/working.ts';
import { counted } from '../../text/counts.ts';
import { aboutQuote, aboutRecord, aboutReference } from './explanation-case-text.ts';
import { stakeText } from './list.ts';
import { type Pair, page, pairs, type Section, sentence } from './page.ts';

/** @param heading how a title is printed: bold on a terminal. */
export function storyText(story: BreakStory, heading: (title: string) => string): string {
  return page(sections(story), heading);
}

function sections(story: BreakStory): Section[] {
  const { standing, rule } = story;
  return [
    {
      title: `${standing.rule} (${standing.severity}, ${standing.state}) on ${standing.kind} ${standing.recordId}`,
      lines: sentence(standing.explanation),
    },
    { title: 'Why it matters', lines: rule === null ? [] : sentence(rule.why) },
    { title: 'What to do', lines: sentence(story.action) },
    { title: 'What settles it', lines: sentence(story.settledBy) },
    { title: 'Expected and found', lines: pairs(figures(story)) },
    { title: 'The arithmetic', lines: pairs(story.workings.map(workingPair)) },
    { title: 'Worked out again', lines: [...sentence(recomputed(story)), ...pairs(apart(story))] },
    { title: 'By the settings of today', lines: today(story) },
    { title: 'The record', lines: pairs(aboutRecord(story)) },
    { title: 'The quote', lines: pairs(aboutQuote(story)) },
    { title: 'Reference data as of its creation', lines: pairs(aboutReference(story)) },
    { title: 'Evidence', lines: pairs(evidence(story)) },
    { title: 'History', lines: story.events.flatMap((event) => pairs([eventPair(event)])) },
  ];
}

function figures({ standing }: BreakStory): Pair[] {
  const { currency, difference, tolerance, waiver } = standing;
  const unit = currency === null ? '' : ` ${currency}`;
  const side = (value: string, number: Decimal | null) =>
    number === null ? value : `${figure(number, currency)}${unit}`;
  const numbers = sidesOf(standing);
  return [
    ['break', standing.breakId],
    ['field', standing.field],
    ['expected', standing.expected === null ? 'nothing in particular' : side(standing.expected, numbers.expected)],
    ['found', standing.actual === null ? 'nothing' : side(standing.actual, numbers.actual)],
    ['difference', difference === null ? null : `${signed(difference, currency)}${unit}`],
    ['tolerance', tolerance === null ? null : `${figure(tolerance, currency)}${unit}`],
    ['money at stake', atStake(standing)],
    ['first seen', standing.firstSeenDate],
    ['last seen', standing.lastSeenDate],
    ['reopened', standing.timesReopened === 0 ? null : counted(standing.timesReopened, 'time')],
    ['assignee', standing.assignee],
    ['waived', waiver === null ? null : `by ${waiver.author}: ${waiver.reason}`],
    ['waived until', waiver === null ? null : (waiver.until ?? 'further notice')],
    [
      'waived for',
      waiver === null
        ? null
        : waiver.difference === null
          ? waiver.actual
          : `${signed(waiver.difference, currency)}${unit}`,
    ],
  ];
}

/** Once per record, on its leading break; other breaks of the same cause name that break. */
function atStake(standing: BreakStory['standing']): string | null {
  const { breakId, leadingBreakId } = standing;
  const own = stakeText(standing);
  if (own !== '') return own;
  const isLed = leadingBreakId !== null && leadingBreakId !== breakId;
  return isLed ? `with the leading break ${leadingBreakId.slice(0, 12)}` : null;
}

/** `2.49 − 1.99 = +0.50 EUR`; an outcome is shown as `0.50 > 0.01: a break`. */
export function workingPair({ label, working, result, unit }: WorkingLine): Pair {
  const shown = unit === null ? result : `${result} ${unit}`;
  if (working === null) return [label, shown];
  const joint = label === 'outcome' ? ': ' : label === 'parts' ? '; ' : ' = ';
  return [label, `${working}${joint}${shown}`];
}

function recomputed({ recomputed: again, judgedIn }: BreakStory): string {
  switch (again.outcome) {
    case 'agrees':
      return `Judged again from what ${judgedIn?.runId ?? 'the run'} stored, by the rules and settings of that run: the same finding, to the digit.`;
    case 'differs':
      return 'Judged again from what the run stored, it comes out otherwise. Tieout has changed since, or there is a fault in it: do not rely on this break before an engineer has looked.';
    case 'not-found':
      return 'Judged again from what the run stored, the rule finds nothing. Tieout has changed since, or there is a fault in it: do not rely on this break before an engineer has looked.';
    case 'not-recomputed':
      return `Could not be worked out again: ${again.why}.`;
  }
}

function apart({ recomputed: again }: BreakStory): Pair[] {
  if (again.outcome !== 'differs') return [];
  return again.apart.map(
    ({ what, stored, recomputed: now }): Pair => [what, `stored ${stored ?? 'nothing'}, now ${now ?? 'nothing'}`],
  );
}

function today({ today: now, standing }: BreakStory): string[] {
  if (now.verdict === null) return [];
  const { currency } = standing;
  const other = (amount: Decimal | null, show: typeof figure) =>
    now.verdict !== 'other' || amount === null ? null : [show(amount, currency), currency].join(' ').trimEnd();
  const says: Record<NonNullable<Today['verdict']>, string> = {
    same: 'The settings have changed since that run, and this break would stand all the same.',
    other: 'The settings have changed since that run: this break would stand, with other figures.',
    gone: 'The settings have changed since that run: by them this would be no break.',
    off: 'The settings have changed since that run: its rule is switched off now.',
  };
  return [
    ...sentence(says[now.verdict]),
    ...pairs([
      ...now.changed.map(({ path, was, is }): Pair => [path, `was ${was ?? 'not set'}, is ${is ?? 'not set'}`]),
      ['difference now', other(now.difference, signed)],
      ['tolerance now', other(now.tolerance, figure)],
    ]),
  ];
}

const KEPT = {
  text: 'kept',
  sealed: 'kept sealed, as it could not be read',
  forgotten: 'forgotten, past its retention',
};

function evidence({ standing, record }: BreakStory): Pair[] {
  const hash = standing.evidenceSha256;
  const sightings = record?.sightings ?? [];
  const isSealed = sightings.some(({ sha256, kept }) => sha256 === hash && kept === 'sealed');
  const seen = sightings.map(
    ({ at, origin, status, sha256, kept }): Pair => [
      showInstant(at),
      `${sha256.slice(0, 12)}  ${origin}${status === null ? '' : `, ${status}`}; ${KEPT[kept]}${sha256 === hash ? '  ← this break' : ''}`,
    ],
  );
  return [
    ['body (SHA-256)', hash ?? 'none: no body came back'],
    [
      'to read it',
      hash === null
        ? null
        : `tieout evidence ${hash.slice(0, 12)} --record ${standing.recordId}${isSealed ? ' --unseal' : ''}`,
    ],
    ...seen,
  ];
}

function eventPair({ at, type, who, runId, businessDate, reason, after }: PastBreakEvent): Pair {
  const parts = [
    `${type} by ${who}`,
    runId === null ? null : `in ${runId}`,
    businessDate == null ? null : `for ${businessDate}`,
    type === 'assigned' ? `to ${after.assignee ?? 'no assignee'}` : null,
  ];
  const said = parts.filter((part) => part !== null).join(' ');
  return [showInstant(at), reason === null ? said : `${said}: ${reason}`];
}
