/** Routers that share their work: quotas of requests hold per replica, and what one knows another may not know yet. */

/** Replicas that a deployment may have behind one address, as far as the suite allows for them. */
export const REPLICAS = 4;
