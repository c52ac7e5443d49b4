/** The damages that `set-aside.test.ts` leaves out, with another number of threads each. */
import { vi } from 'vitest';
import { inThisOrder } from '../support/in-this-order.ts';
import { DAMAGES, isSetAside } from './support/set-aside.ts';
import { PATIENCE } from './support/workspace.ts';

inThisOrder();

vi.setConfig(PATIENCE);

isSetAside(DAMAGES.filter((_, at) => at % 2 !== 1));
