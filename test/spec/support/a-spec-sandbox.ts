import type { SandboxOptions } from '../../../src/sandbox/contract.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { aSandbox } from '../../sandbox/a-sandbox.ts';

/** Every body exactly as the specification declares it. */
export function aSpecSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  return aSandbox({ bodies: 'spec', ...options });
}
