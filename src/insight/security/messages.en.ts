/** Texts about the security of a build: its page and the API. Each sentence says what is the case, and what to do about it. */
export const en = {
  titleOf: 'Security of #{revision}',
  empty: 'Slipway reads no security facts from a package of this kind.',
  findings: 'Findings',
  noFindings: 'No findings.',
  good: 'No issue found',
  info: 'Information',
  more: '{count, plural, one {# more} other {# more}}',
  severities: {
    high: 'High',
    medium: 'Medium',
    low: 'Low',
    info: 'Information',
    good: 'OK',
    not_analyzed: 'Not analyzed',
  },
  counts: {
    high: '{count} high',
    medium: '{count} medium',
    low: '{count} low',
    info: '{count, plural, one {# note} other {# notes}}',
    good: '{count} OK',
    not_analyzed: '{count} not analyzed',
  },
  notAnalyzed: 'Slipway could not read the part of the package that states this.',

  secrets: {
    title: 'Secrets in the package',
    line: 'Anyone who installs the app can read these. Revoke each of them, and keep them on your server.',
    none: 'No keys or tokens of known formats were found.',
    unseen: 'Some files were too large to search, or could not be read.',
    managers: 'Only people who manage the app see this section.',
    kinds: {
      aws_access_key: 'AWS access key',
      google_api_key: 'Google API key (restrict it to this app instead of revoking it)',
      stripe_key: 'Stripe live key',
      github_token: 'GitHub token',
      slack_token: 'Slack token',
      private_key: 'Private key',
    },
  },

  names: {
    debuggable: 'Debuggable',
    test_only: 'Test-only',
    cleartext: 'Cleartext traffic',
    cleartext_domains: 'Domains with cleartext traffic',
    user_certificates: 'User-installed certificates',
    exported_components: 'Exported services, receivers and providers',
    exported_activities: 'Exported activities',
    backup: 'Cloud backup',
    backup_rules: 'Cloud backup',
    backup_encryption: 'Encryption of cloud backups',
    device_transfer: 'Transfer to a new device',
    device_transfer_rules: 'Transfer to a new device',
    deep_links: 'Deep links',
    get_task_allow: 'Debugging',
    arbitrary_loads: 'App Transport Security',
    transport_exceptions: 'App Transport Security exceptions',
    url_schemes: 'URL schemes',
    entitlements: 'Entitlements',
    usage_descriptions: 'Data that the app may ask for',
    background_modes: 'Background modes',
  },

  found: {
    debuggable:
      'Anyone with the device can read the app’s data and run code in it. Release a build without android:debuggable.',
    test_only:
      'Devices only install it with “adb install -t”. Remove android:testOnly, which Android Studio adds when you choose Run.',
    cleartext:
      'The app may send data without encryption. Set android:usesCleartextTraffic to false, and allow single domains if necessary.',
    cleartext_domains:
      'The network security configuration allows cleartext traffic to these domains. Switch them to HTTPS:',
    user_certificates:
      'Anyone who installs a certificate on the device can read the app’s traffic. Trust user certificates only in debug-overrides.',
    exported_components:
      'Every app on the device can use these. Set android:exported to false, or require a permission:',
    exported_activities:
      'Every app on the device can open these. The launcher activity must be exported; set android:exported to false on the others if possible:',
    backup:
      'All data of the app is backed up to the user’s account. Exclude tokens with android:dataExtractionRules, or set android:allowBackup to false.',
    backup_rules:
      '{included, plural, =0 {Everything is backed up except {excluded, plural, one {# path} other {# paths}}} one {Only # path is backed up} other {Only # paths are backed up}}. Check that tokens are not part of it:',
    backup_encryption:
      'Backups are also made without end-to-end encryption, on devices without a screen lock. Set disableIfNoEncryptionCapabilities in android:dataExtractionRules to prevent this.',
    device_transfer:
      'All data of the app is copied to a new device. Since Android 12, only the device-transfer section of android:dataExtractionRules prevents this.',
    device_transfer_rules:
      '{included, plural, =0 {Everything is copied except {excluded, plural, one {# path} other {# paths}}} one {Only # path is copied} other {Only # paths are copied}}. Check that keys of this device are not part of it:',
    deep_links: 'Links that open the app. Treat what they contain as untrusted input:',
    get_task_allow:
      'Debuggers can attach to the app. Sign releases with a distribution profile, which removes get-task-allow.',
    arbitrary_loads:
      'NSAllowsArbitraryLoads lets the app connect without encryption. Remove it, and list single domains if necessary.',
    transport_exceptions: 'The app may connect to these domains without encryption. Switch them to HTTPS:',
    url_schemes:
      'Other apps can register the same schemes. Never pass tokens through them; use universal links instead:',
    entitlements: 'What the app is signed for. Remove what it does not use:',
    usage_descriptions:
      'The app asks for permission with these texts of Info.plist. Remove those that it does not need:',
    background_modes: 'The app may run in the background for these. App review asks for a reason for each:',
  },

  inOrder: {
    debuggable: 'Not debuggable.',
    test_only: 'Not marked as test-only.',
    cleartext: 'Cleartext traffic is not allowed.',
    cleartext_domains: 'No domain is exempt from encryption.',
    user_certificates: 'User-installed certificates are not trusted.',
    exported_components: 'None is exported without a permission.',
    exported_activities: 'None is exported without a permission.',
    backup: 'No data of the app is backed up.',
    backup_encryption: 'Backups are only made with end-to-end encryption.',
    device_transfer: 'No data of the app is copied to a new device.',
    get_task_allow: 'Debuggers cannot attach to the app.',
    arbitrary_loads: 'Unencrypted connections are not allowed by default.',
    transport_exceptions: 'No domain is exempt from encryption.',
  },

  sets: {
    heading: 'Security',
    exported: 'Exported components',
    deepLinks: 'Deep links and URL schemes',
    entitlements: 'Entitlements of the signature',
    domains: 'Domains without encryption',
    backup: 'Cloud backup',
    deviceTransfer: 'Transfer to a new device',
    allData: 'All data',
  },
} as const;
