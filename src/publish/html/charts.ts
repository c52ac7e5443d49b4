/** What each kind of chart looks like, as options of the drawing library. */

import { Decimal } from '../../domain/decimal.ts';
import type { Chart, Drawn, Series, Tone } from '../../ports/html-view.ts';
import { count } from '../../text/counts.ts';
import type { Option } from './draw.ts';

/** Colours are the page's own, so that one drawing serves light, dark and print. */
const tone = (name: Tone) => `var(--${name})`;
const INK = 'var(--ink)';
const FAINT = 'var(--faint)';
const LINE = 'var(--line)';

/** For drawing alone: a pixel is coarser than any double. */
function drawn(value: Drawn): number | null {
  return value instanceof Decimal ? Number.parseFloat(value.toString()) : value;
}

/** A drawing with the room that it needs: as many pixels high as its bars ask for. */
export function chartOption(chart: Chart, width: number): { option: Option; height: number } {
  switch (chart.type) {
    case 'stacked':
      return stacked(chart, width);
    case 'columns':
      return columns(chart, width);
    case 'lines':
      return lines(chart, width);
    case 'ranges':
      return ranges(chart, width);
  }
}

/** Text beside bars takes at most this share of the width, in lines: cut off, two names could look the same. */
const LABEL_SHARE = 0.34;
/** Of a letter, about. */
const LETTER = 7.4;
const LABEL_LINE = 14;

const label = {
  color: INK,
  fontSize: 12,
  lineHeight: LABEL_LINE,
};

/** A name in lines that fit beside the bars, broken between its words. */
function inLines(name: string, width: number): string {
  const most = Math.floor((width * LABEL_SHARE) / LETTER);
  const lines: string[] = [];
  for (const word of name.split(/(?<=[ _])/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.trimEnd().length <= most) lines[lines.length - 1] = last + word;
    else lines.push(word);
  }
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Pixels that a row of bars needs for the tallest of its names. */
function rowHeight(names: readonly string[], least: number): number {
  const lines = Math.max(1, ...names.map((name) => name.split('\n').length));
  return Math.max(least, lines * LABEL_LINE + 8);
}

const BASE = {
  animation: false,
  textStyle: { fontFamily: 'inherit', fontSize: 12 },
};

/** Labels and names of axes stay inside the drawing. */
const INSIDE = { outerBoundsMode: 'same', outerBoundsContain: 'all' } as const;

const legendOf = (series: readonly Series[]) => ({
  show: series.length > 1,
  top: 0,
  left: 0,
  icon: 'roundRect',
  itemWidth: 12,
  itemHeight: 12,
  itemGap: 14,
  inactiveColor: FAINT,
  textStyle: { color: INK, fontSize: 12 },
});

const valueAxis = (unit: string) => ({
  type: 'value',
  name: unit,
  nameLocation: 'middle',
  nameGap: 28,
  nameTextStyle: { color: FAINT, fontSize: 12 },
  axisLabel: { color: FAINT, fontSize: 11, hideOverlap: true },
  splitLine: { lineStyle: { color: LINE } },
  splitNumber: 4,
});

const namesAxis = (categories: readonly string[]) => ({
  type: 'category',
  data: categories,
  axisTick: { show: false },
  axisLine: { lineStyle: { color: LINE } },
});

/** Lines that a legend takes: its items are laid out by their length, which is only known roughly. */
function legendHeight(series: readonly Series[], width: number): number {
  if (series.length < 2) return 8;
  const needed = series.reduce((sum, { name }) => sum + name.length * 7 + 32, 0);
  return Math.ceil(needed / width) * 22 + 8;
}

function stacked({ categories, series, unit }: Extract<Chart, { type: 'stacked' }>, width: number) {
  // There is no half of a record.
  const isCounted = series.every(({ values }) => values.every((value) => typeof value === 'number'));
  const top = legendHeight(series, width);
  const names = categories.map((name) => inLines(name, width));
  const height = top + categories.length * rowHeight(names, 30) + 52;
  const axis = valueAxis(unit);
  const option = {
    ...BASE,
    legend: legendOf(series),
    grid: { top, left: 10, right: 40, bottom: 4, ...INSIDE },
    xAxis: isCounted ? { ...axis, minInterval: 1 } : axis,
    yAxis: {
      ...namesAxis(names),
      // Bars are read from the top.
      inverse: true,
      axisLabel: { ...label, interval: 0 },
    },
    series: series.map(({ name, tone: named, values }) => ({
      type: 'bar',
      name,
      stack: 'all',
      barWidth: 18,
      // A line of background keeps neighbours apart that differ in colour alone.
      itemStyle: { color: tone(named), borderColor: 'var(--card)', borderWidth: 1 },
      data: values.map(drawn),
    })),
  };
  return { option, height };
}

function columns({ categories, tones, values, unit }: Extract<Chart, { type: 'columns' }>, width: number) {
  const isTight = width >= 500 && width < 800;
  const option = {
    ...BASE,
    grid: { top: 22, left: 4, right: 24, bottom: 4, ...INSIDE },
    xAxis: {
      ...namesAxis(isTight ? categories.map((name) => name.replace(' to ', ' to\n')) : categories),
      axisLabel: { color: INK, fontSize: 11, interval: 0, rotate: width < 500 ? 50 : 0, lineHeight: 14 },
    },
    yAxis: { ...valueAxis(unit), nameLocation: 'end', nameGap: 8, nameTextStyle: { color: FAINT, align: 'left' } },
    series: [
      {
        type: 'bar',
        barMaxWidth: 44,
        label: { show: true, position: 'top', color: INK, fontSize: 11, formatter: labelled },
        data: values.map((value, i) => ({ value: drawn(value), itemStyle: { color: tone(tones[i] ?? 'one') } })),
      },
    ],
  };
  return { option, height: width < 500 ? 270 : 250 };
}

/** Zero needs no number over a bar that is not there. */
function labelled({ value }: { value: unknown }): string {
  return typeof value === 'number' && value > 0 ? count(value) : '';
}

const SYMBOLS = ['circle', 'rect', 'triangle', 'diamond', 'roundRect'];

function lines({ categories, series, unit }: Extract<Chart, { type: 'lines' }>, width: number) {
  const top = legendHeight(series, width) + 16;
  const option = {
    ...BASE,
    legend: { ...legendOf(series), show: true, icon: undefined },
    grid: { top, left: 4, right: 28, bottom: 4, ...INSIDE },
    xAxis: {
      ...namesAxis(categories),
      boundaryGap: false,
      axisLabel: { color: FAINT, fontSize: 11, hideOverlap: true },
    },
    yAxis: {
      ...valueAxis(unit),
      nameLocation: 'end',
      nameGap: 8,
      nameTextStyle: { color: FAINT, align: 'left' },
      // Heights are compared with zero: an axis cut off below would make a change look larger than it is.
    },
    series: series.map(({ name, tone: named, values }, i) => ({
      type: 'line',
      name,
      // Shapes differ too, for readers who do not see colours.
      symbol: SYMBOLS[i % SYMBOLS.length],
      symbolSize: 6,
      showAllSymbol: true,
      lineStyle: { width: 2 },
      itemStyle: { color: tone(named) },
      data: values.map(drawn),
    })),
  };
  return { option, height: top + 210 };
}

function ranges({ groups, unit }: Extract<Chart, { type: 'ranges' }>, width: number) {
  const names = groups.map(({ name }) => inLines(name, width));
  const option = {
    ...BASE,
    grid: { top: 8, left: 10, right: 36, bottom: 4, ...INSIDE },
    xAxis: { ...valueAxis(unit), min: 0 },
    yAxis: { ...namesAxis(names), inverse: true, axisLabel: { ...label, interval: 0 } },
    series: [
      {
        type: 'custom',
        renderItem: drawRange,
        encode: { x: [1, 2, 3, 4, 5], y: 0 },
        // Place, low, middle, high, and the band's ends; the range itself where no band is known, so that the axis fits.
        data: groups.map(({ low, middle, high, band }, place) =>
          [place, low, middle, high, band?.low ?? null, band?.high ?? null].map((value) => drawn(value)),
        ),
      },
    ],
  };
  return { option, height: groups.length * rowHeight(names, 38) + 52 };
}

interface RangeApi {
  value(dimension: number): number;
  coord(point: readonly [number, number]): [number, number];
}

/** The published band as a broad pale bar, the range in it as a narrow one, the middle as a line across. */
function drawRange(_params: unknown, api: RangeApi) {
  const x = (dimension: number) => api.coord([api.value(dimension), api.value(0)])[0];
  const y = api.coord([0, api.value(0)])[1];
  const bar = (from: number, to: number, height: number, fill: string) => ({
    type: 'rect',
    shape: { x: from, y: y - height / 2, width: Math.max(2, to - from), height, r: 2 },
    style: { fill },
  });
  const hasBand = Number.isFinite(api.value(4)) && Number.isFinite(api.value(5));
  return {
    type: 'group',
    children: [
      ...(hasBand ? [bar(x(4), x(5), 26, 'var(--band)')] : []),
      bar(x(1), x(3), 10, tone('one')),
      bar(x(2) - 1.5, x(2) + 1.5, 20, INK),
    ],
  };
}
