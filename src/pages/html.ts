/**
 * HTML that is escaped by construction: a value in a template is text, unless it is HTML itself. There is no other way to make
 * an `Html` than the template.
 *
 *     html`<td>${hostReference}</td>`
 */
import { escaped } from '../publish/html/markup.ts';

export class Html {
  readonly #text: string;
  private constructor(text: string) {
    this.#text = text;
  }
  static of(strings: TemplateStringsArray, values: readonly Value[]): Html {
    let text = strings[0] ?? '';
    for (const [i, value] of values.entries()) text += `${Html.text(value)}${strings[i + 1] ?? ''}`;
    return new Html(text);
  }
  private static text(value: Value): string {
    if (value === null || value === false) return '';
    if (value instanceof Html) return value.#text;
    if (typeof value === 'object') return value.map((each) => Html.text(each)).join('');
    return escaped(String(value));
  }
  toString(): string {
    return this.#text;
  }
}

/** Null and false are left out, so that `condition && html…` reads well. */
export type Value = string | number | bigint | false | null | Html | readonly Value[];

export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return Html.of(strings, values);
}

/** A group of text that brings its own direction: a host reference in Hebrew does not turn the row around. */
export function isolated(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}
