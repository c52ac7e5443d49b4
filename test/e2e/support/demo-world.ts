/**
 * The demo of one day with many defects. It takes as long as hundreds of other tests, so it is made once in a run, by the first file
 * that asks for it, and copied for each.
 */
import { cpSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { runFolder } from '../../support/run-folder.ts';
import { DEMO_DAY, type Finished, openWorkspace, until, type Workspace } from './workspace.ts';

/** More than a month back, so that there is a month to close on any day. */
const WORDS = ['demo', '--records', '600', '--days', '40', '--defects', '0.1', '--json', '--out', 'demo'];

async function make(place: Workspace): Promise<void> {
  const { code, out, err } = await place.tieout(WORDS, { now: DEMO_DAY });
  place.write('demo.json', JSON.stringify({ code, out, err }));
}

/** The settings name their folder. */
function moveSettings(place: Workspace, from: string, to: string): void {
  place.write('demo/tieout.yaml', place.read('demo/tieout.yaml').replaceAll(from, to));
}

/** @returns the folder that it was made in; files of one run make it once, those of another process wait for it. */
async function original(): Promise<string | null> {
  const run = runFolder();
  if (run === null) return null;
  const [folder, making] = [join(run, 'demo-world'), join(run, 'demo-world-making')];
  try {
    mkdirSync(making);
  } catch {
    await until('the demo of another file is there', () => existsSync(folder), 110_000);
    return folder;
  }
  const place = openWorkspace(null);
  await make(place);
  moveSettings(place, place.folder, folder);
  renameSync(place.folder, folder);
  return folder;
}

/** A workspace with the demo in its folder `demo`, and what the command printed. */
export async function demoWorld(): Promise<{ workspace: Workspace; demo: Finished }> {
  const workspace = openWorkspace(null);
  const from = await original();
  if (from === null) await make(workspace);
  else {
    cpSync(from, workspace.folder, { recursive: true, verbatimSymlinks: true });
    moveSettings(workspace, from, workspace.folder);
  }
  return { workspace, demo: JSON.parse(workspace.read('demo.json')) as Finished };
}
