import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packPackage } from '../../scripts/n8n';
import { runCommand } from '../../scripts/n8n/command';

/**
 * Packs this package and unpacks the archive.
 *
 * @returns the folder with its files, to be removed by the caller
 */
export async function unpackedPackage(): Promise<string> {
  const archive = await packPackage();
  const folder = await mkdtemp(join(tmpdir(), 'outbound-unpacked-'));
  await runCommand('tar', ['-xzf', archive, '--strip-components=1'], { cwd: folder });
  await rm(dirname(archive), { recursive: true, force: true });
  return folder;
}
