/** Chromium heeds only the last list that it is given, so what Playwright leaves out for the sake of pages is named too. */
const UNWANTED = [
  // Pages of the address bar, which are loaded for every visitor and cost more than a visit to the portal.
  'WebUIOmniboxPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

/** Has Chromium work on the pages that it is given, and on nothing else. */
export const CHROMIUM_FLAGS = [
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  `--disable-features=${UNWANTED.join()}`,
]
