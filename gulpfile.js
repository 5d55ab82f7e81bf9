const { build: bundle } = require('esbuild');
const { dest, parallel, series, src } = require('gulp');
const { readFileSync } = require('node:fs');
const { rm } = require('node:fs/promises');
const { globSync } = require('fast-glob');

const sources = ['credentials/**/*.ts', 'nodes/**/*.ts'];

/**
 * Our own files stay separate files, so that every node requires the same instance of a module; the
 * libraries go into the file that imports them, because a community node brings no dependencies.
 */
const ownFilesApart = {
  name: 'own-files-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ path, kind, importer }) =>
      kind === 'entry-point' || importer.includes('node_modules')
        ? undefined
        : { path: `${path}.js`, external: true },
    );
  },
};

async function clean() {
  await rm('dist', { recursive: true, force: true });
}

/** Whether a source file brings a library along, which is then most of what it becomes. */
const importsLibrary = (file) =>
  /^(?!import type).*from '(?!\.\.?\/|n8n-workflow')/m.test(readFileSync(file, 'utf8'));

/** Names in our own code stay readable; files that a library fills are minified whole. */
async function compile() {
  const files = globSync(sources);
  const bundleFiles = async (entryPoints, minifyIdentifiers) =>
    await bundle({
      entryPoints,
      outdir: 'dist',
      outbase: '.',
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
      mainFields: ['module', 'main'],
      external: ['n8n-workflow'],
      legalComments: 'inline',
      minifyIdentifiers,
      minifySyntax: true,
      minifyWhitespace: true,
      plugins: [ownFilesApart],
      logLevel: 'warning',
    });
  await bundleFiles(files.filter(importsLibrary), true);
  await bundleFiles(
    files.filter((file) => !importsLibrary(file)),
    false,
  );
}

const icons = () => src('icons/*.svg').pipe(dest('dist/icons'));

const codex = () => src('nodes/**/*.node.json').pipe(dest('dist/nodes'));

exports.build = series(clean, parallel(compile, icons, codex));
exports.default = exports.build;
