import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import glob from 'fast-glob';
import manifest from '../../package.json';
import { PROJECT } from '../../scripts/n8n';
import { placeholdersOf } from '../../scripts/release/owner';

const ADDRESS = /github\.com\/([\w.-]+\/[\w-]+)/g;
/** Projects of others that are linked to, and one that tests have made up. */
const OTHERS = ['n8n-io/n8n', 'olive/calls', 'o/r'];
/** Where the address cannot come out of package.json, so that it must be the same. */
const REPEATING = [
  'README.md', // npm shows it, so its links are absolute
  'credentials/OutboundAiCallingApi.credentials.ts', // n8n's lint demands a literal
];
/** n8n's own lock files name people who wrote libraries, and addresses of theirs. */
const NOT_OURS = /(^|\/)package-lock\.json$/;

const texts = glob
  .sync('**/*', {
    cwd: PROJECT,
    dot: true,
    ignore: [
      '.git/**',
      '**/node_modules/**',
      'dist/**',
      'reports/**',
      '.stryker-tmp/**',
      '**/*.png',
      '**/*.tgz',
    ],
  })
  .map((file) => ({ file, text: readFileSync(join(PROJECT, file), 'utf8') }));

const own = manifest.homepage.replace(/^https:\/\/github\.com\/|#readme$/g, '');

describe('owner, repository and author', () => {
  it('are the same wherever package.json names them', () => {
    expect(manifest.repository.url).toBe(`git+https://github.com/${own}.git`);
    expect(manifest.homepage).toBe(`https://github.com/${own}#readme`);
  });

  it('stand in package.json alone, or are the same as there', () => {
    const named = texts
      .filter(({ file }) => file !== 'package.json' && !NOT_OURS.test(file))
      .flatMap(({ file, text }) =>
        [...text.matchAll(ADDRESS)].map(([, address = '']) => ({ file, address })),
      )
      .filter(({ address }) => !OTHERS.includes(address));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(({ file }) => !REPEATING.includes(file))).toEqual([]);
    expect(named.filter(({ address }) => address !== own)).toEqual([]);
    const { name, email } = manifest.author;
    const naming = texts.filter(({ text }) => text.includes(name) || text.includes(email));
    expect(naming.map(({ file }) => file)).toEqual(['package.json']);
  });

  it('are the people who have to agree to a change', () => {
    const [account] = own.split('/');
    const rules = readFileSync(join(PROJECT, '.github', 'CODEOWNERS'), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(rules).not.toEqual([]);
    for (const rule of rules) expect(rule).toMatch(new RegExp(`^\\S+( @${account}(/[\\w-]+)?)+$`));
  });

  it('are told apart from the placeholders that they are at first', () => {
    const author = { name: 'Olive', email: 'olive@example.com' };
    const repository = { url: 'git+https://github.com/olive/calls.git' };
    const homepage = 'https://github.com/olive/calls#readme';
    expect(placeholdersOf({ author, repository, homepage })).toEqual([]);
    const address = ['https://github.com', 'outbound-ai-calling', 'calls'].join('/');
    expect(
      placeholdersOf({
        author: { name: 'The maintainers', email: 'm@users.noreply.outbound-ai-calling.example' },
        repository: { url: `git+${address}.git` },
        homepage: `${address}#readme`,
      }),
    ).toEqual(['author', 'homepage', 'repository']);
  });
});

describe('registries', () => {
  it('are named in no file: each machine has its own', () => {
    const naming = texts.filter(({ text }) => /\bregistry\.\w+\.\w+|"resolved"\s*:/.test(text));
    expect(naming.map(({ file }) => file)).toEqual([]);
  });
});
