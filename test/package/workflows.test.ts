import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import glob from 'fast-glob';
import { parse } from 'yaml';
import manifest from '../../package.json';
import { PROJECT } from '../../scripts/n8n';

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

interface Job {
  needs?: string;
  uses?: string;
  permissions?: Record<string, string>;
  'timeout-minutes'?: number;
  steps?: Step[];
}

interface Workflow {
  on: Record<string, unknown>;
  permissions?: Record<string, string>;
  jobs: Record<string, Job>;
}

const textOf = (file: string) => readFileSync(join(PROJECT, file), 'utf8');
const FILES = glob.sync('.github/workflows/*.yml', { cwd: PROJECT, dot: true });
const WORKFLOWS = FILES.map((file) => ({
  name: basename(file, '.yml'),
  text: textOf(file),
  workflow: parse(textOf(file)) as Workflow,
}));

const named = (name: string) => {
  const found = WORKFLOWS.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`There is no workflow ${name}`);
  return found.workflow;
};
const stepsOf = (job: Job | undefined) => job?.steps ?? [];
const runsOf = (job: Job | undefined) => stepsOf(job).flatMap(({ run }) => run ?? []);
const isCheckout = ({ uses }: Step) => uses?.startsWith('actions/checkout@') ?? false;

describe.each(WORKFLOWS)('the workflow $name', ({ text, workflow }) => {
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap(stepsOf);

  it('pins every action by a commit, with its version beside it', () => {
    const lines = text.split('\n').filter((line) => /\buses:/.test(line) && !/ \.\//.test(line));
    const pinned = /^ +(- )?uses: [\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    expect(lines.filter((line) => !pinned.test(line))).toEqual([]);
  });

  it('may only read, but for jobs that say what they write', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
  });

  it('leaves no token of GitHub behind in a checkout', () => {
    const checkouts = steps.filter(isCheckout);
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
  });

  it('never runs with rights for the change of a stranger', () => {
    expect(Object.keys(workflow.on)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(pull_request_target|workflow_run)$/)]),
    );
  });

  it('lets nothing that others can name become part of a command', () => {
    expect(jobs.flatMap(runsOf).filter((run) => run.includes('${{'))).toEqual([]);
  });

  it('has an end for every job', () => {
    const endless = jobs.filter((job) => job.steps && job['timeout-minutes'] === undefined);
    expect(endless).toEqual([]);
  });
});

describe('all workflows together', () => {
  it('use one commit of each action', () => {
    const uses = new Set(
      WORKFLOWS.flatMap(({ text }) => [...text.matchAll(/uses: ([\w-]+\/[\w-]+\S*@.+)/g)]).map(
        ([, use = '']) => use,
      ),
    );
    const actions = [...uses].map((use) => use.replace(/@.*/, ''));
    expect(actions.length).toBeGreaterThan(5);
    expect(actions.filter((action, index) => actions.indexOf(action) !== index)).toEqual([]);
  });

  it('write only where that is the job', () => {
    const writing = WORKFLOWS.flatMap(({ name, workflow }) =>
      Object.entries(workflow.jobs).flatMap(([job, { permissions = {} }]) =>
        Object.entries(permissions)
          .filter(([, access]) => access === 'write')
          .map(([permission]) => `${name}/${job}: ${permission}`),
      ),
    );
    expect(writing.sort()).toEqual([
      'codeql/analyze: security-events',
      'publish/publish: id-token',
      'publish/release: contents',
      'scorecard/analyze: id-token',
      'scorecard/analyze: security-events',
    ]);
  });
});

describe('the workflow that publishes', () => {
  const publish = named('publish');
  const { tag, ci, build, publish: publishing, release } = publish.jobs;

  it('begins with a tag that is the version, of a commit on main', () => {
    expect(publish.on).toEqual({ push: { tags: ['*.*.*'] } });
    const commands = runsOf(tag).join('\n');
    expect(commands).toMatch(/^test "\$GITHUB_REF_NAME" = .*package\.json/m);
    expect(commands).toMatch(/^git merge-base --is-ancestor HEAD origin\/main$/m);
    expect(stepsOf(tag).find(isCheckout)?.with).toMatchObject({ 'fetch-depth': 0 });
  });

  it('publishes after all tests', () => {
    const needs = [ci, build, publishing, release].map((job) => job?.needs);
    expect(needs).toEqual(['tag', 'ci', 'build', 'publish']);
    expect(ci?.uses).toBe('./.github/workflows/ci.yml');
  });

  it('runs no code of the project, or of a library, where it may write', () => {
    for (const job of [publishing, release]) {
      expect(stepsOf(job).filter(isCheckout)).toEqual([]);
      const commands = runsOf(job).join('\n');
      expect(commands).not.toMatch(/\b(npm (run|ci|install|test)|npx|node|git)\b/);
    }
  });

  it('lets npm show where the package was built', () => {
    expect(publishing?.permissions).toEqual({ 'id-token': 'write' });
    expect(runsOf(publishing)).toContain('npm publish --provenance --access public ./*.tgz');
    expect(manifest.publishConfig.provenance).toBe(true);
  });

  it('checks what it builds from, and attaches the list of it to the release', () => {
    expect(runsOf(build)).toEqual(expect.arrayContaining(['npm ci', 'npm audit signatures']));
    expect(runsOf(build)).toContain('npm sbom --sbom-format cyclonedx > release/sbom.cdx.json');
    expect(runsOf(release).join('\n')).toMatch(/gh release create .*\.tgz sbom\.cdx\.json$/m);
  });
});

describe('the workflow for every change', () => {
  const { quick, ...long } = named('ci').jobs;

  it('says within minutes what is quickly found', () => {
    expect(runsOf(quick)).toEqual([
      ...['npm ci', 'npm audit signatures', 'npm run format:check', 'npm run lint'],
      ...['npm run types', 'npm run test:unit'],
    ]);
  });

  it('then runs all tests', () => {
    expect(Object.values(long).map(({ needs }) => needs)).toEqual(['quick', 'quick']);
    expect(Object.values(long).flatMap(runsOf)).toEqual(['npm test', 'npm run test:compat']);
  });
});

describe('the workflow for the newest n8n', () => {
  const { on, jobs } = named('newest-n8n');

  it('tries every week what works in it', () => {
    const [once] = on.schedule as { cron: string }[];
    expect(once?.cron).toMatch(/^\d+ \d+ \* \* [0-6]$/);
    const runs = Object.values(jobs).flatMap(runsOf);
    expect(runs).toEqual(['npm run n8n:newest', 'npm run test:compat -- newest']);
  });
});

describe('Dependabot', () => {
  it('renews libraries and actions', () => {
    const { updates } = parse(textOf('.github/dependabot.yml')) as {
      updates: { 'package-ecosystem': string; directory: string }[];
    };
    expect(updates.map((update) => [update['package-ecosystem'], update.directory])).toEqual([
      ['npm', '/'],
      ['github-actions', '/'],
    ]);
  });
});
