/** Values of the wrong type, and values outside a closed list (spec §2.11). */

import { currentPaymentMethod } from '../../domain/method-names.ts';
import { nearestName } from '../../text/nearest-name.ts';
import { given, isLeftOut, listItems, valueText } from '../config.ts';
import { PARAMETERS, type WidgetParameter } from '../parameters.ts';
import { type WidgetProblem, widgetProblem } from '../problems.ts';
import type { WidgetCheckRule } from './input.ts';

/** Texts such as `true` or comma-separated lists are accepted, because a URL has only texts. */
export const valueTypes: WidgetCheckRule = ({ config }) =>
  PARAMETERS.map((parameter) => {
    const value = given(config, parameter.name);
    return isLeftOut(value) ? null : typeProblem(parameter, value);
  });

function typeProblem({ name, type }: WidgetParameter, value: unknown): WidgetProblem | null {
  const wrong = (wanted: string, remedy: string) =>
    widgetProblem('VALUE_TYPE', name, value, { message: `${name} must be ${wanted}`, remedy });
  switch (type) {
    case 'node':
      return null;
    case 'boolean': {
      if (typeof value === 'boolean' || value === 'true' || value === 'false') return null;
      const yes = /^(1|yes|on|true)$/i.test(valueText(value) ?? '');
      return wrong('true or false', `Write ${yes ? 'true' : 'true, or leave it out'}.`);
    }
    case 'units':
    case 'major':
      if (typeof value === 'string' || typeof value === 'bigint') return null;
      if (typeof value !== 'number' || Number.isNaN(value)) return wrong('a number as text', `Write "${name}": "100".`);
      return valueText(value) === undefined ? inexact(name, value) : null;
    case 'flow-list':
    case 'asset-list':
      if (typeof value === 'string') return null;
      if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return null;
      return wrong('a text with commas, or a list of texts', 'Write each item as text.');
    default:
      return typeof value === 'string' ? null : wrong('a text', 'Write it in quotes.');
  }
}

function inexact(name: string, value: number): WidgetProblem {
  return widgetProblem('AMOUNT_INEXACT', name, value, {
    message: `${name} is a number that JavaScript holds only roughly, so units are lost or an exponent is sent`,
    remedy: 'Give the amount as text, with every digit.',
  });
}

/** Closed lists, item by item. Values are case-sensitive: the Service was never seen to take another case. */
export const allowedValues: WidgetCheckRule = ({ config }) =>
  PARAMETERS.flatMap(({ name, type, values }) => {
    if (values === null) return [];
    const items = listItems(given(config, name)).filter((item) => item.trim() !== '');
    return items.map((item) => {
      if (values.includes(item)) return null;
      if (type === 'payment-method' && currentPaymentMethod(item) !== item) return oldMethod(name, item);
      if ((type === 'flow' || type === 'flow-list') && item === 'SWAP') return swap(name);
      const meant = nearestName(item, values);
      const remedy = meant === undefined ? `Allowed are ${values.join(', ')}.` : `Write ${meant}.`;
      return widgetProblem('VALUE_UNKNOWN', name, item, { message: `${name} does not know this value`, remedy });
    });
  });

function oldMethod(name: string, item: string): WidgetProblem {
  return widgetProblem('VALUE_DEPRECATED', name, item, {
    message: `${item} is an old name, mapped to ${currentPaymentMethod(item)}`,
    remedy: `Write ${currentPaymentMethod(item)}.`,
  });
}

function swap(name: string): WidgetProblem {
  return widgetProblem('FLOW_UNDOCUMENTED', name, 'SWAP', {
    message: 'SWAP stands in examples of the unified parameters, but not among the flows that can be enabled',
    remedy: 'Ask the Service whether swaps are enabled for your key; without that, use ONRAMP or OFFRAMP.',
  });
}
