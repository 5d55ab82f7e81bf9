import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import glob from 'fast-glob';
import { thirdPartyLicenses } from '../../scripts/build/thirdPartyLicenses.cjs';
import { unpackedPackage } from './unpacked';

describe('the licences of the libraries in the bundle', () => {
  it('lie beside it, each with its text', async () => {
    const folder = await unpackedPackage();
    const read = async (file: string) => await readFile(join(folder, 'dist', file), 'utf8');
    const code = await glob('**/*.js', { cwd: join(folder, 'dist') });
    const bundle = (await Promise.all(code.map(read))).join('\n');
    const licenses = await read('THIRD-PARTY-LICENSES.txt');
    await rm(folder, { recursive: true, force: true });
    // The bundler says above each file where it comes from.
    const bundled = [...bundle.matchAll(/^\/\/ .*node_modules\/((?:@[^/]+\/)?[^/]+)/gm)];
    const names = [...new Set(bundled.map(([, name]) => name))].sort();
    expect(names).toContain('libphonenumber-js');
    const told = [...licenses.matchAll(/^(\S+) \d+\.\d+\.\d+ \(.+\)$/gm)];
    expect(told.map(([, name]) => name)).toEqual(names);
    const texts = licenses.match(/permission is hereby granted|redistribution and use/gi);
    expect(texts?.length).toBeGreaterThanOrEqual(names.length);
  });

  it('must be there: a library without one is not bundled', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'outbound-bare-'));
    const library = join(folder, 'node_modules', 'bare');
    await mkdir(library, { recursive: true });
    await writeFile(join(library, 'package.json'), '{"name":"bare","version":"1.0.0"}');
    const licenses = thirdPartyLicenses([join(library, 'index.js')]);
    await expect(licenses).rejects.toThrow('bare brings no text of its licence');
    await rm(folder, { recursive: true, force: true });
  });
});
