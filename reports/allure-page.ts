/** The page that Allure builds, without what it reports home: nothing about a target leaves the machine. */

/** Removes the scripts of the visitor counter. Throws when one is left, so that no other counter slips by. */
export function withoutCounter(page: string): string {
  const clean = page
    .replaceAll(/<script\b[^>]*googletagmanager\.com[^>]*>\s*<\/script>\s*/gu, '')
    .replaceAll(/<script>\s*window\.dataLayer\b(?:(?!<\/script>)[\s\S])*<\/script>\s*/gu, '');
  const left = /<script\b[^>]*\bsrc=["']?(?:https?:)?\/\/[^>]*>|googletagmanager|gtag\(/u.exec(
    clean,
  );
  if (left !== null) throw new Error(`the page of Allure still loads ${left[0].slice(0, 120)}`);
  return clean;
}
