/** How much an engine says it is at. */

import type { ListenerTotals, Pressure } from './control.ts';
import type { RouteName } from './engine/request.ts';

/** Requests that fill the cache, as the figure made of real load goes. */
const cacheRequests = 256;

export class Load {
  pressure: Pressure = {};
  #inFlight = 0;
  #hits = 0;
  readonly #routes: Partial<Record<RouteName, number>> = {};

  count(route: RouteName): void {
    this.#routes[route] = (this.#routes[route] ?? 0) + 1;
  }

  began(): void {
    this.#hits += 1;
    this.#inFlight += 1;
  }

  ended(): void {
    this.#inFlight -= 1;
  }

  totals(listener: string): ListenerTotals {
    return { listener, hits: this.#hits, inFlight: this.#inFlight, routes: { ...this.#routes } };
  }

  /** The gauges that agents scrape from an engine, under the names that vLLM gives them (the last one twice: it was renamed). */
  metrics(model: string): string {
    const running = this.pressure.running ?? this.#inFlight;
    const waiting = this.pressure.waiting ?? 0;
    const cache = this.pressure.cacheUsage ?? Math.min(1, this.#inFlight / cacheRequests);
    return (
      gauge('num_requests_running', 'Requests being served.', model, running) +
      gauge('num_requests_waiting', 'Requests waiting to be served.', model, waiting) +
      gauge('gpu_cache_usage_perc', 'Share of the cache in use, 0 to 1.', model, cache) +
      gauge('kv_cache_usage_perc', 'Share of the cache in use, 0 to 1.', model, cache)
    );
  }
}

function gauge(name: string, help: string, model: string, value: number): string {
  const label = model.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return `# HELP vllm:${name} ${help}\n# TYPE vllm:${name} gauge\nvllm:${name}{model_name="${label}"} ${value}\n`;
}
