/** A tiny router: a method and a path with `{name}` parts. */

export interface Route<T> {
  readonly method: string;
  /** As written, `/instances/{id}/stop`. */
  readonly path: string;
  readonly value: T;
}

export interface RouteMatch<T> {
  readonly route: Route<T>;
  /** What stands in the place of each `{name}`, with percent escapes decoded where they are sound. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** What a request line names: a route, a known path with another method, or nothing. */
export type Routed<T> =
  | ({ readonly outcome: 'found' } & RouteMatch<T>)
  | { readonly outcome: 'wrong-method'; readonly allowed: readonly string[] }
  | { readonly outcome: 'unknown' };

interface Compiled<T> {
  readonly route: Route<T>;
  readonly expression: RegExp;
  readonly names: readonly string[];
}

/** Compiles routes into a function from method and path (without query) to what they name. The first match wins. */
export function createRouter<T>(
  routes: readonly Route<T>[],
): (method: string, path: string) => Routed<T> {
  const compiled = routes.map(compile);
  return (method, path) => {
    const allowed: string[] = [];
    for (const { route, expression, names } of compiled) {
      const found = expression.exec(path);
      if (found === null) continue;
      if (route.method === method) {
        const parameters: Record<string, string> = {};
        for (const [index, name] of names.entries())
          parameters[name] = decoded(found[index + 1] ?? '');
        return { outcome: 'found', route, parameters };
      }
      allowed.push(route.method);
    }
    return allowed.length > 0 ? { outcome: 'wrong-method', allowed } : { outcome: 'unknown' };
  };
}

function compile<T>(route: Route<T>): Compiled<T> {
  const names: string[] = [];
  const source = route.path
    .split(/(\{\w+\})/u)
    .map((part) => {
      if (!/^\{\w+\}$/u.test(part)) return part.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`);
      names.push(part.slice(1, -1));
      return '([^/]+)';
    })
    .join('');
  return { route, expression: new RegExp(`^${source}$`, 'u'), names };
}

/** A path part or query piece without its percent escapes; left as it is where they are broken. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
