/** What stops building or reading a widget URL. Everything else about a configuration is a problem, told by the check. */
import { EXIT, TieoutError } from '../domain/errors.ts';

/** Thrown for an address that cannot be the widget's. The message never holds the address: its query has the key. */
export class WidgetUrlError extends TieoutError {
  override readonly name = 'WidgetUrlError';
  override readonly exitCode = EXIT.usage;
}

/** Thrown for a value that no URL can carry. `parameter` names it. */
export class WidgetValueError extends TieoutError {
  override readonly name = 'WidgetValueError';
  override readonly exitCode = EXIT.usage;
  readonly parameter: string;
  constructor(parameter: string) {
    super(
      `the widget parameter ${parameter} has a value that cannot be written into a URL; ` +
        'give a text, a boolean, a list of texts, or a whole number below 2^53 (larger amounts as text)',
    );
    this.parameter = parameter;
  }
}
