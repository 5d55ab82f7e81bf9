import { tmpdir } from 'node:os';
import { GuardedProcess } from './guarded';
import { freePort } from './ports';
import { isOnPath } from './programs';

/** Starts an empty Redis on loopback that keeps nothing on disk; `env` tells n8n to keep its queue there. */
export async function startRedis() {
  if (!isOnPath('redis-server')) {
    throw new Error('Redis is missing. On Debian: apt-get install redis-server');
  }
  const port = await freePort();
  const server = await GuardedProcess.start({
    name: 'Redis',
    program: 'redis-server',
    args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    cwd: tmpdir(),
    readyWhen: 'Ready to accept connections',
  });
  return {
    env: { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: String(port) },
    stop: async () => await server.stop(),
  };
}
