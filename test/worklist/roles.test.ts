import { expect, it } from 'vitest';
import { ROLES } from '../../src/domain/actor.ts';
import { may } from '../../src/worklist/roles.ts';

it.each([
  ['view', ['viewer', 'analyst', 'closer', 'reviewer', 'administrator']],
  ['work', ['analyst', 'closer', 'reviewer']],
  ['approve', ['reviewer']],
  ['close', ['closer']],
  ['review', ['reviewer']],
  ['administer', ['administrator']],
] as const)('%s is for %j', (permission, roles) => {
  expect(ROLES.filter((role) => may([role], permission))).toEqual(roles);
});

it('a person may do what any of the roles may, and without one nothing', () => {
  expect(may(['viewer', 'closer'], 'close')).toBe(true);
  expect(may([], 'view')).toBe(false);
});
