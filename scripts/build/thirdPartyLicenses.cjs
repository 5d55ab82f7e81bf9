const { readFile, readdir } = require('node:fs/promises');
const { join } = require('node:path');

/** The folder of the library that a bundled file comes from: the innermost one of its path. */
const LIBRARY = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;
const LICENSE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/**
 * Tells which libraries a build holds, with the licence of each as its authors wrote it.
 *
 * @param {string[]} inputs the files that the bundler took, relative to the project
 * @returns {Promise<string>} the text of a file to lie beside the bundle
 * @throws {Error} for a library that brings no text of its licence: it must not be passed on so
 */
async function thirdPartyLicenses(inputs) {
  const folders = inputs.flatMap((input) => input.match(LIBRARY)?.[0] ?? []);
  const sections = await Promise.all([...new Set(folders)].sort().map(sectionOf));
  return [
    'The file bundle.js and the folder libraries hold the libraries below, each under its own licence.\n',
    ...sections,
  ].join(`\n${'-'.repeat(80)}\n\n`);
}

async function sectionOf(folder) {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  const files = (await readdir(folder)).filter((file) => LICENSE_FILE.test(file));
  if (files.length === 0) throw new Error(`${name} brings no text of its licence.`);
  const texts = await Promise.all(
    files.map(async (file) => await readFile(join(folder, file), 'utf8')),
  );
  return `${name} ${version} (${license})\n\n${texts.map((text) => text.trim()).join('\n\n')}\n`;
}

module.exports = { thirdPartyLicenses };
