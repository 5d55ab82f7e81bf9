import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './command';
import { GuardedProcess } from './guarded';
import { freePort } from './ports';
import { postgresqlPrograms } from './programs';

const USER = 'n8n';

/** PostgreSQL refuses to run as root; Debian's package brings a user for it. */
function asPostgres(program: string, args: string[]): [string, string[]] {
  return process.getuid?.() === 0
    ? ['runuser', ['-u', 'postgres', '--', program, ...args]]
    : [program, args];
}

/**
 * Starts an empty PostgreSQL on loopback, with everything in a temporary folder. It trusts everybody, and survives no
 * power cut; `env` tells n8n to keep its state there, and `stop` removes what it held.
 */
export async function startPostgresql() {
  const programs = postgresqlPrograms();
  if (programs === undefined) {
    throw new Error('PostgreSQL is missing. On Debian: apt-get install postgresql');
  }
  const run = async (program: string, ...args: string[]) =>
    await runCommand(...asPostgres(program, args), { cwd: '/' });
  const folder = (await run('mktemp', '-d', '-t', 'outbound-postgresql-XXXXXX')).trim();
  const port = await freePort();
  const remove = async () => await rm(folder, { recursive: true, force: true });
  try {
    await run(join(programs, 'initdb'), '-D', folder, '-U', USER, '--auth=trust', '--no-sync');
    const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
    const [program, args] = asPostgres(join(programs, 'postgres'), [
      ...['-D', folder, '-p', String(port), '-F'],
      ...settings.flatMap((setting) => ['-c', setting]),
    ]);
    const server = await GuardedProcess.start({
      name: 'PostgreSQL',
      program,
      args,
      cwd: '/',
      readyWhen: 'database system is ready to accept connections',
    });
    return {
      env: {
        DB_TYPE: 'postgresdb',
        DB_POSTGRESDB_HOST: '127.0.0.1',
        DB_POSTGRESDB_PORT: String(port),
        DB_POSTGRESDB_DATABASE: 'postgres',
        DB_POSTGRESDB_USER: USER,
      },
      stop: async () => {
        await server.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
