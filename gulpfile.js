const { build: bundle } = require('esbuild');
const { dest, parallel, series, src } = require('gulp');
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

async function compile() {
  await bundle({
    entryPoints: globSync(sources),
    outdir: 'dist',
    outbase: '.',
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    mainFields: ['module', 'main'],
    external: ['n8n-workflow'],
    legalComments: 'inline',
    minifySyntax: true,
    minifyWhitespace: true,
    plugins: [ownFilesApart],
    logLevel: 'warning',
  });
}

const icons = () => src('icons/*.svg').pipe(dest('dist/icons'));

const codex = () => src('nodes/**/*.node.json').pipe(dest('dist/nodes'));

exports.build = series(clean, parallel(compile, icons, codex));
exports.default = exports.build;
