// Asks the distribution page of this app for a newer build. For React Native and Capacitor, no dependencies.

/** What the app knows about itself. */
export interface RunningApp {
  platform: 'android' | 'ios';
  /** Package name or bundle identifier. */
  packageName: string;
  /** versionCode or CFBundleVersion. */
  versionCode: string;
  /** versionName or CFBundleShortVersionString. */
  versionName?: string;
  /** API level of Android, or version of iOS. */
  osVersion?: string;
}

export interface Update {
  /** Empty if the page asks for a passcode or to sign in, like the note. */
  versionName: string;
  releaseNote: string;
  /** Starts the installation, or opens the page if it asks for a passcode or to sign in. */
  installUrl: string;
  /** The page requires the update before people continue. */
  mandatory: boolean;
}

/**
 * Null without an update. `pageUrl`: the address of the distribution page, such as https://apps.example.com/distributions/7a9c….
 * Throws if the server cannot be reached or the page is closed.
 */
export async function findUpdate(pageUrl: string, app: RunningApp): Promise<Update | null> {
  const [, origin, key] = /^(https?:\/\/[^/]+)\/distributions\/(\w+)/.exec(pageUrl) ?? [];
  if (origin === undefined || key === undefined) throw new Error(`${pageUrl} is not a distribution page`);
  const fields: [string, string | undefined][] = [
    ['platform', app.platform],
    ['package', app.packageName],
    ['version_code', app.versionCode],
    ['version_name', app.versionName],
    ['os_version', app.osVersion],
  ];
  const query = fields
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`)
    .join('&');
  const response = await fetch(`${origin}/api/v1/pages/${key}/update?${query}`);
  if (!response.ok) throw new Error(`update check: ${response.status}`);
  const answer = (await response.json()) as {
    update_available: boolean;
    latest: { version_name: string | null; version_code: string; release_note: string; mandatory: boolean };
    install: { url: string };
  };
  if (!answer.update_available) return null;
  const { latest, install } = answer;
  return {
    versionName: latest.version_name ?? latest.version_code,
    releaseNote: latest.release_note,
    installUrl: install.url,
    mandatory: latest.mandatory,
  };
}

/*
React Native, with react-native-device-info:

  const update = await findUpdate(pageUrl, {
    platform: Platform.OS === 'ios' ? 'ios' : 'android',
    packageName: DeviceInfo.getBundleId(),
    versionCode: DeviceInfo.getBuildNumber(),
    versionName: DeviceInfo.getVersion(),
    osVersion: String(Platform.Version),
  });
  if (update) {
    const install = { text: 'Install', onPress: () => Linking.openURL(update.installUrl) };
    const buttons = update.mandatory ? [install] : [{ text: 'Later', style: 'cancel' as const }, install];
    const title = update.versionName ? `Version ${update.versionName} is available` : 'An update is available';
    Alert.alert(title, update.releaseNote, buttons, { cancelable: !update.mandatory });
  }

Capacitor, with @capacitor/app and @capacitor/device:

  const [app, device] = await Promise.all([App.getInfo(), Device.getInfo()]);
  if (device.platform === 'web') return;
  const update = await findUpdate(pageUrl, {
    platform: device.platform,
    packageName: app.id,
    versionCode: app.build,
    versionName: app.version,
    osVersion: device.platform === 'ios' ? device.osVersion : String(device.androidSDKVersion),
  });
  if (update && confirm(update.versionName ? `Version ${update.versionName} is available` : 'An update is available')) {
    window.open(update.installUrl, '_system');
  }
*/
