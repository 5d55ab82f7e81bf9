/** `npm run pictures`: what the documents show of the real editor, taken anew. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OutboundAiCallingTrigger } from '../nodes/OutboundAiCalling/OutboundAiCallingTrigger.node.ts';
import { LOG_COLUMNS } from '../nodes/OutboundAiCalling/callLog/table/columns';
import { SCOPES } from '../nodes/OutboundAiCalling/dataTables/n8nApi.ts';
import { Editor } from '../test/browser/editor';
import { startCallingService } from '../test/service';
import { saveCredential } from '../test/n8n/workflows';
import { PreparedN8n } from './n8n';
import { pictureCanvas } from './pictures/canvas';
import { pictureCallLog, startCalls } from './pictures/callLog';
import { pictureCredential } from './pictures/credential';
import { pictureHint } from './pictures/hint';
import { pictureOperation, pictureTrigger, type Desktop } from './pictures/panel';
import { FaultyPicture } from './pictures/picture';
import { pictureReport } from './pictures/report';
import {
  allSubjects,
  fingerprint,
  MANIFEST,
  PICTURES,
  readManifest,
  type Subject,
} from './pictures/subjects';
import { Cleanup } from './start/cleanup';

const say = (line: string) => process.stderr.write(`${line}\n`);
const cleanup = new Cleanup();

/** What all pictures are taken with. */
interface Shoot extends Desktop {
  n8nApiKey: string;
  /** The execution that fills the call log, once it was started. */
  calls: string;
}

async function take(subject: Subject, shoot: Shoot): Promise<void> {
  const { editor, client, calling } = shoot;
  const { name } = subject;
  switch (subject.kind) {
    case 'canvas':
      return await pictureCanvas(editor, client, calling, subject);
    case 'panel':
      return await pictureOperation(shoot, name, subject);
    case 'trigger':
      return await pictureTrigger(shoot, name, new OutboundAiCallingTrigger().description);
    case 'credential':
      return await pictureCredential(shoot, name);
    case 'dataTable':
      return await pictureCallLog(shoot, name, shoot.calls);
    case 'report':
      return await pictureReport(editor, name);
    case 'hint':
      return await pictureHint(shoot, name, shoot.n8nApiKey);
  }
}

/** @param names of the pictures to take, or how they begin; all when there are none */
async function main(names: string[]): Promise<number> {
  const startedAt = Date.now();
  const subjects = await allSubjects();
  const wanted = subjects.filter(
    ({ name }) => names.length === 0 || names.some((start) => name.startsWith(start)),
  );
  const service = await startCallingService({ speed: 10 });
  cleanup.add(async () => await service.close());
  const n8n = await PreparedN8n.start();
  cleanup.add(async () => await n8n.stop());
  const { client } = n8n;
  const n8nApiKey = await client.createApiKey('Call log', SCOPES);
  const calling = await saveCredential(client, service, { n8nApiKey });
  const table = await client.dataTables(n8nApiKey).create('Calls', LOG_COLUMNS);
  const editor = await Editor.open(n8n, 2);
  cleanup.add(async () => await editor.close());

  const desktop = { editor, client, calling, table };
  const shoot = { ...desktop, n8nApiKey, calls: await startCalls(desktop) };
  const manifest = await readManifest();
  let faulty = 0;
  for (const subject of wanted) {
    try {
      await take(subject, shoot);
      manifest[subject.name] = fingerprint(subject);
      say(`${subject.name}.png`);
    } catch (error) {
      faulty++;
      const { message, stack } = error as Error;
      say(error instanceof FaultyPicture ? message : `${subject.name}.png: ${stack ?? message}`);
      if (!(error instanceof FaultyPicture)) await editor.screenshot(subject.name);
    }
  }
  await keepOnly(subjects, manifest);
  say(`${wanted.length - faulty} pictures in ${Math.round((Date.now() - startedAt) / 1000)} s`);
  return faulty === 0 ? 0 : 1;
}

/** Notes what the pictures show, and removes those of which there is nothing to show any more. */
async function keepOnly(subjects: Subject[], manifest: Record<string, string>): Promise<void> {
  await mkdir(PICTURES, { recursive: true });
  const names = subjects.map(({ name }) => name);
  for (const file of await readdir(PICTURES)) {
    const isStale = file.endsWith('.png') && !names.includes(file.slice(0, -4));
    if (isStale) await rm(join(PICTURES, file));
  }
  const kept = names.flatMap((name) => (name in manifest ? [[name, manifest[name]]] : []));
  await writeFile(MANIFEST, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
}

main(process.argv.slice(2))
  .catch((error: unknown) => {
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return 1;
  })
  .then(async (exitCode) => {
    await cleanup.run();
    process.exit(exitCode);
  });
