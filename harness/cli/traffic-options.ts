/** What commands are told that judge the traffic of others. */

import type { Contract } from '../../schemas/requirement.ts';
import type { HostRule } from '../passive/proxy.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The options of every command that reports on traffic of others. */
export interface TrafficReportOptions {
  readonly only: readonly string[];
  readonly out: string;
  readonly strict: boolean;
  readonly deviations?: string;
  readonly reporter: readonly string[];
  readonly json: boolean;
  readonly exclusive: boolean;
}

export interface ObserveOptions extends TrafficReportOptions {
  readonly listen: Address;
  readonly page: Address;
  readonly host: HostRule;
  /** Seconds after which it ends by itself. */
  readonly for?: number;
}

export interface AuditOptions extends TrafficReportOptions {
  readonly target?: string;
  readonly contract?: Contract;
  readonly baseUrl?: string;
}
