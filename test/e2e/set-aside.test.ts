/** What no report can print, in threads, and what cannot be read: `set-aside.long.test.ts` has the other damages. */
import { vi } from 'vitest';
import { inThisOrder } from '../support/in-this-order.ts';
import { DAMAGES, isSetAside } from './support/set-aside.ts';
import { PATIENCE } from './support/workspace.ts';

inThisOrder();

vi.setConfig(PATIENCE);

isSetAside(DAMAGES.filter((_, at) => at % 2 === 1));
