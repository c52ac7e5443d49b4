/** Requests that are never sent, because they cannot be right. */
import { EXIT, TieoutError } from '../../domain/errors.ts';

/** Quotes need the integration key (spec §5). */
export class HostApiKeyMissingError extends TieoutError {
  override readonly name = 'HostApiKeyMissingError';
  override readonly exitCode = EXIT.usage;
  constructor() {
    super('quotes need an integration key; set TIEOUT_HOST_API_KEY or TIEOUT_HOST_API_KEY_FILE');
  }
}

/** An endpoint that the asked version of the API does not have (spec §4, §9). */
export class UnknownEndpointError extends TieoutError {
  override readonly name = 'UnknownEndpointError';
  override readonly exitCode = EXIT.usage;
  constructor(name: string, api: string, available: readonly string[]) {
    super(`the API ${api} has no "${name}"; it is in ${available.join(' and ')}`);
  }
}

/** A request that the Service could only reject. */
export class InvalidRequestError extends TieoutError {
  override readonly name = 'InvalidRequestError';
  override readonly exitCode = EXIT.usage;
  override readonly aboutOneRequest = true;
}
