import type { ChildProcess } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';

/**
 * SIGSTOP at a moment at which the process holds no write transaction of its SQLite file. Stopped inside one, it would hold
 * every other writer of the file until it goes on, which is SQLite's to decide and not what these tests are about.
 */
export async function stopBetweenWrites(child: ChildProcess, databaseFile: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    child.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (isWritable(databaseFile)) return;
    child.kill('SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  throw new Error('the process was met inside a write transaction 200 times');
}

function isWritable(file: string): boolean {
  const database = new DatabaseSync(file);
  try {
    database.exec('pragma busy_timeout = 50; begin immediate; rollback');
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}
