/** Which models of a session reach the scripted engine, and what is missing where one does not. */

import { routerNeeds } from '../../../schemas/router/needs.ts';
import type { RouterTarget } from '../../../schemas/router/target.ts';
import type { BackendControl } from '../../backend/control.ts';
import { BudgetSpent } from '../../exchange/budget.ts';
import type { MissingNeed } from '../../target/offers.ts';
import type { RouterApi } from './api.ts';
import {
  causeOf,
  isUnreached,
  lookForEngine,
  type Reach,
  reachLines,
  servedRoles,
  waitLine,
} from './reach.ts';

/** Models with so few places that the first request must be a case's own: one that keeps its place would leave none. */
const FEW_PLACES: ReadonlySet<string> = new Set(['models.singleSlot', 'models.maxInflight']);

interface Watched {
  readonly target: RouterTarget;
  readonly backend: BackendControl | undefined;
  readonly api: RouterApi;
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
}

export class EngineWatch {
  readonly #watched: Watched;
  readonly #unreached = new Map<string, Reach>();

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  /** Looks at the models among these needs, and waits a while for those that do not reach the engine. */
  async look(needs: readonly string[]): Promise<void> {
    const { target, backend, api, signal, tell } = this.#watched;
    if (backend === undefined || target.keys.client === undefined) return;
    // A need may name a part of a fixture: `models.capped.imagesMax`.
    const wanted = new Set(needs.map((need) => need.split('.').slice(0, 2).join('.')));
    const all = servedRoles(target).filter(({ need }) => !FEW_PLACES.has(need));
    if (!all.some(({ need }) => wanted.has(need))) return;
    const roles = all.filter(({ need }) => wanted.has(need) || need === 'models.chat');
    const isNew = target.backend !== undefined && 'listen' in target.backend;
    try {
      const asking = { api, backend, signal, as: 'client', isNew };
      const reaches = await lookForEngine(asking, roles, (missing, forMs) =>
        tell(waitLine(missing, forMs, backend.listeners)),
      );
      const someReach = reaches.some(({ hits }) => hits > 0);
      for (const reach of reaches.filter(isUnreached)) {
        // That its second step is asked is what is judged of it: its agents are the reason only where all are missing.
        if (reach.need === 'models.fallback' && someReach) continue;
        this.#unreached.set(reach.need, reach);
      }
      for (const line of reachLines(reaches)) tell(line);
    } catch (error) {
      // What ends the run shows in every case that it keeps from its end.
      if (!signal.aborted && !(error instanceof BudgetSpent)) throw error;
    }
  }

  /** What is missing for who needs the engine behind this model. */
  lacking(need: string): readonly MissingNeed[] {
    const whole = need.split('.').slice(0, 2).join('.');
    const reach = this.#unreached.get(whole);
    if (reach === undefined) return [];
    const { backend } = this.#watched.target;
    const line =
      backend !== undefined && 'listen' in backend
        ? routerNeeds.backend.line
        : (Object.entries(routerNeeds).find(([name]) => name === whole)?.[1].line ?? '');
    return [{ need: whole, purpose: `the scripted engine, and ${causeOf(reach)}`, line }];
  }
}
