const { build: bundle } = require('esbuild');
const { dest, parallel, series, src } = require('gulp');
const { mkdir, readFile, rm, writeFile } = require('node:fs/promises');
const { basename, dirname, join, relative } = require('node:path');
const { homepage, n8n } = require('./package.json');
const { thirdPartyLicenses } = require('./scripts/build/thirdPartyLicenses.cjs');

/** What n8n loads: a file for each class, which n8n names after the file. */
const loaded = [...n8n.credentials, ...n8n.nodes].map((file) => ({
  file,
  className: basename(file).split('.')[0],
  source: `./${relative('dist', file).replace(/\.js$/, '')}`,
}));
const BUNDLE = 'dist/bundle.js';
/** They lie beside the bundle, so that whoever reads it reads our code. */
const LARGE_LIBRARIES = ['csv-parse/sync', 'libphonenumber-js/core'];
const LIBRARIES = 'libraries';
const LICENSES = 'dist/THIRD-PARTY-LICENSES.txt';

async function clean() {
  await rm('dist', { recursive: true, force: true });
}

/** Where a country's ways to write its numbers stand in the metadata of libphonenumber-js. */
const FORMATS = 4;
const PHONE_METADATA = 'phoneMetadata.json';

/**
 * The metadata of telephone numbers is data, so it lies beside the code. Numbers are read and sent,
 * never written for people: a third of it says how.
 */
async function phoneMetadata() {
  const metadata = structuredClone(require('libphonenumber-js/metadata.max.json'));
  for (const country of Object.values(metadata.countries)) country[FORMATS] = 0;
  await mkdir('dist', { recursive: true });
  await writeFile(join('dist', PHONE_METADATA), JSON.stringify(metadata));
}

const phoneMetadataBeside = {
  name: 'phone-metadata-beside',
  setup({ onResolve }) {
    onResolve({ filter: /^libphonenumber-js\/max\/metadata$/ }, () => ({
      path: `./${PHONE_METADATA}`,
      external: true,
    }));
  },
};

/** How code becomes what n8n loads. Readable: stack traces name our functions, and reviewers read it. */
const COMPILED = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  mainFields: ['module', 'main'],
  legalComments: 'inline',
  charset: 'utf8',
  minifySyntax: true,
  logLevel: 'warning',
  metafile: true,
};

const largeLibrariesBeside = {
  name: 'large-libraries-beside',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind !== 'entry-point' && LARGE_LIBRARIES.includes(path)
        ? { path: `./${LIBRARIES}/${path}.js`, external: true }
        : undefined,
    );
  },
};

/**
 * All nodes, their credentials and the libraries that they use become one file, because a community node
 * brings no dependencies, and because the nodes share what a module remembers; but large libraries lie
 * beside it.
 */
async function compile() {
  const builds = await Promise.all([
    bundle({
      ...COMPILED,
      stdin: {
        contents: loaded
          .map(({ className, source }) => `export { ${className} } from '${source}';`)
          .join('\n'),
        resolveDir: __dirname,
        loader: 'ts',
      },
      outfile: BUNDLE,
      external: ['n8n-workflow'],
      plugins: [phoneMetadataBeside, largeLibrariesBeside],
    }),
    bundle({
      ...COMPILED,
      entryPoints: LARGE_LIBRARIES.map((library) => ({ in: library, out: library })),
      outdir: join(dirname(BUNDLE), LIBRARIES),
      // n8n's log is n8n's.
      drop: ['console'],
    }),
  ]);
  const inputs = builds.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  await writeFile(LICENSES, await thirdPartyLicenses(inputs));
}

/** The files that n8n loads take their class out of the bundle. */
async function entries() {
  for (const { file, className } of loaded) {
    const path = relative(dirname(file), BUNDLE);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `exports.${className} = require('${join(path)}').${className};\n`);
  }
}

const icons = () => src('icons/*.svg').pipe(dest('dist/icons'));

/** What the editor's search and help know of each node, with the address of the documentation. */
async function codex() {
  for (const node of n8n.nodes) {
    const source = relative('dist', node).replace(/js$/, 'json');
    const known = JSON.parse(await readFile(source, 'utf8'));
    known.resources = {
      primaryDocumentation: [{ url: homepage }],
      credentialDocumentation: [{ url: homepage.replace('#readme', '#credentials') }],
    };
    await mkdir(dirname(node), { recursive: true });
    await writeFile(join('dist', source), JSON.stringify(known, null, 2));
  }
}

/** What each operation gives, for the editor. */
async function outputSchemas() {
  const { writeOutputSchemas } = await import('./scripts/outputSchemas.mjs');
  await writeOutputSchemas(dirname(n8n.nodes[0]));
}

exports.build = series(
  clean,
  parallel(compile, phoneMetadata, entries, icons, codex, outputSchemas),
);
exports.default = exports.build;
