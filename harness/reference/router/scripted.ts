/** The reference router in front of the scripted backend, with hooks that take its agents away: every fixture there is. */

import { type BackendOptions, startScriptedBackend } from '../../backend/scripted-backend.ts';
import { type RunningBackend, startBackendThread } from '../../backend/threaded-backend.ts';
import { type Listening, listen } from '../http/listen.ts';
import { type RouterOptions, type RouterReference, startRouter } from './start.ts';

export interface ScriptedRouter {
  readonly baseUrl: string;
  /** The complete target file, backend and hooks included. */
  target(): object;
  close(): Promise<void>;
}

/** Agents that serve the plain models: what a hook takes away and brings back. */
const PLAIN_AGENTS = ['north', 'south'] as const;

export interface ScriptedRouterOptions extends Omit<RouterOptions, 'engines'> {
  /** True for engines in a thread of their own: quicker for one router, dear where there are many. */
  readonly hasEngineThread?: boolean;
}

const LISTENING: BackendOptions = {
  listen: ['127.0.0.1:0', '127.0.0.1:0'],
  control: '127.0.0.1:0',
};

/** Starts backend, router and hooks on free ports of the loopback interface. */
export async function startScriptedRouter({
  hasEngineThread = false,
  ...options
}: ScriptedRouterOptions = {}): Promise<ScriptedRouter> {
  const backend: RunningBackend = hasEngineThread
    ? await startBackendThread(LISTENING)
    : await startScriptedBackend(LISTENING);
  const router = await startRouter({ engines: backend.listeners, ...options }).catch(
    async (error: unknown) => {
      await backend.close();
      throw error;
    },
  );
  const hooks = await hookServer(router);
  return {
    baseUrl: router.baseUrl,
    target: () => ({
      ...router.target(),
      backend: { control: backend.controlUrl },
      hooks: {
        disconnectAgent: hookCommand(`${hooks.url}/disconnect`),
        reconnectAgent: hookCommand(`${hooks.url}/reconnect`),
      },
    }),
    close: async () => {
      await hooks.close();
      await router.close();
      await backend.close();
    },
  };
}

/** Listens for the hook commands, which are processes of their own. */
async function hookServer(router: RouterReference): Promise<Listening> {
  return listen((request, response) => {
    for (const name of PLAIN_AGENTS) {
      if (request.url === '/disconnect') router.disconnectAgent(name);
      else if (request.url === '/reconnect') router.reconnectAgent(name);
    }
    response.writeHead(204).end();
  });
}

/** A command that every machine with this program has: Node itself, asking the hook server. */
function hookCommand(url: string): string {
  // Not `fetch`, which takes Node longer to load than everything else here.
  const script = `require('http').request('${url}',{method:'POST'},r=>process.exit(r.statusCode<300?0:1)).on('error',()=>process.exit(1)).end()`;
  return `"${process.execPath}" -e "${script}"`;
}
