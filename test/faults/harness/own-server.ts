/** A PostgreSQL server for one row alone: it will be stopped, cut off and filled up. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { onServer } from '../../store/postgres/database.ts';
import { isSwitchedOff, startAgain, startServer, stopServer } from '../../store/postgres/server.ts';
import { CannotInjectError } from './row.ts';

export interface OwnServer extends Disposable {
  /** As its superuser, on a database that is not for use. */
  url: string;
  folder: string;
  /** Ends it as a power cut would: no checkpoint, every connection reset. */
  crash(): void;
  startAgain(): void;
}

/** @throws CannotInjectError where PostgreSQL cannot run here. */
export async function ownServer(): Promise<OwnServer> {
  if (isSwitchedOff()) throw new CannotInjectError('TIEOUT_TEST_POSTGRES=off');
  // The name by which the next run of any tests finds a server whose tests were killed.
  const folder = mkdtempSync(join(tmpdir(), `tieout-test-postgres-${process.pid}-`));
  const remove = () => {
    stopServer(folder);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const url = await startServer(folder);
    return {
      url,
      folder,
      crash: () => stopServer(folder),
      startAgain: () => startAgain(folder),
      [Symbol.dispose]: remove,
    };
  } catch (error) {
    remove();
    throw new CannotInjectError(error instanceof Error ? error.message : 'PostgreSQL does not start here');
  }
}

/** A database of that name; `options` are further words of CREATE DATABASE. */
export async function databaseOn(server: OwnServer, name: string, options = ''): Promise<string> {
  await onServer(server.url, `create database ${name} ${options}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return url.href;
}

/** Polls a condition; throws after that many seconds. */
export async function eventually(
  what: string,
  seconds: number,
  isTrue: () => boolean | Promise<boolean>,
): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`waited ${seconds} s in vain until ${what}`);
    await pause(20);
  }
}
