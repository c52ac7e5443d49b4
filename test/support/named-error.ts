import {
  CircuitOpenError,
  RequestBudgetError,
  RequestRejectedError,
  TlsError,
} from '../../src/ports/service-errors.ts';
import { DatabaseUnavailableError, LeaseLostError, RunStateError } from '../../src/ports/store/errors.ts';
import { DeadlineError, NotJsonError } from '../../src/service/errors.ts';

const MAKERS: Readonly<Record<string, () => Error>> = {
  CircuitOpenError: () => new CircuitOpenError(0, 'the Service refused'),
  DatabaseUnavailableError: () => new DatabaseUnavailableError('var/tieout.db', 'connection-lost'),
  DeadlineError: () => new DeadlineError('waiting', 1),
  LeaseLostError: () => new LeaseLostError('nightly'),
  NotJsonError: () => new NotJsonError(200),
  RequestBudgetError: () => new RequestBudgetError('the budget is spent'),
  RequestRejectedError: () => new RequestRejectedError(400, null),
  RunStateError: () => new RunStateError('r', 'settled', 'fetch'),
  TlsError: () => new TlsError('CERT', null),
};

/** An error of the class with this name, where one is listed above; else any error that is called so. */
export function namedError(name: string, message?: string): Error {
  const error = MAKERS[name]?.() ?? Object.assign(new Error('…'), { name });
  return message === undefined ? error : Object.assign(error, { message });
}
