/** Lists that the platforms publish, and which libraries belong to which SDK. */

/** The reasons that a manifest may name for a category (Apple, "Describing use of required reason API"). Others may have been added since. */
export const allowedReasons: Readonly<Record<string, readonly string[]>> = {
  NSPrivacyAccessedAPICategoryFileTimestamp: ['DDA9.1', 'C617.1', '3B52.1', '0A2A.1'],
  NSPrivacyAccessedAPICategorySystemBootTime: ['35F9.1', '8FFB.1', '3D61.1'],
  NSPrivacyAccessedAPICategoryDiskSpace: ['85F4.1', 'E174.1', '7D9E.1', 'B728.1'],
  NSPrivacyAccessedAPICategoryActiveKeyboards: ['3EC4.1', '54BD.1'],
  NSPrivacyAccessedAPICategoryUserDefaults: ['CA92.1', '1C8F.1', 'C56D.1', 'AC6B.1'],
};

/** SDKs that need a privacy manifest of their own: Apple, "Third-party SDK requirements". */
export const listedSdks: ReadonlySet<string> = new Set(
  [
    'Abseil,AFNetworking,Alamofire,AppAuth,BoringSSL,openssl_grpc,Capacitor,Charts,connectivity_plus',
    'Cordova,device_info_plus,DKImagePickerController,DKPhotoGallery,FBAEMKit,FBLPromises',
    'FBSDKCoreKit,FBSDKCoreKit_Basics,FBSDKLoginKit,FBSDKShareKit,file_picker,FirebaseABTesting',
    'FirebaseAuth,FirebaseCore,FirebaseCoreDiagnostics,FirebaseCoreExtension,FirebaseCoreInternal',
    'FirebaseCrashlytics,FirebaseDynamicLinks,FirebaseFirestore,FirebaseInstallations',
    'FirebaseMessaging,FirebaseRemoteConfig,Flutter,flutter_inappwebview,flutter_local_notifications',
    'fluttertoast,FMDB,geolocator_apple,GoogleDataTransport,GoogleSignIn,GoogleToolboxForMac',
    'GoogleUtilities,grpcpp,GTMAppAuth,GTMSessionFetcher,hermes,image_picker_ios,IQKeyboardManager',
    'IQKeyboardManagerSwift,Kingfisher,leveldb,Lottie,MBProgressHUD,nanopb,OneSignal,OneSignalCore',
    'OneSignalExtension,OneSignalOutcomes,OpenSSL,OrderedSet,package_info,package_info_plus',
    'path_provider,path_provider_ios,Promises,Protobuf,Reachability,RealmSwift,RxCocoa,RxRelay',
    'RxSwift,SDWebImage,share_plus,shared_preferences_ios,SnapKit,sqflite,Starscream,SVProgressHUD',
    'SwiftyGif,SwiftyJSON,Toast,UnityFramework,url_launcher,url_launcher_ios',
    'video_player_avfoundation,wakelock,webview_flutter_wkwebview',
  ].flatMap((names) => names.split(',')),
);

const nativeSdks: readonly (readonly [pattern: RegExp, sdk: string])[] = [
  [/^lib(flutter|app)\.so$/, 'Flutter'],
  [/^lib(reactnative|hermes|jsc|jscexecutor|hermes_executor|fbjni|turbomodule)\w*\.so$/, 'React Native'],
  [/^lib(unity|il2cpp|main)\.so$/, 'Unity'],
  [/^libUE4|^libUnreal/, 'Unreal Engine'],
  [/^libglide-webp\.so$/, 'Glide WebP'],
  [/^libsqlcipher/, 'SQLCipher'],
  [/^librealm/, 'Realm'],
  [/^libcrashlytics/, 'Firebase Crashlytics'],
  [/^lib(mono|xamarin)/, '.NET Android'],
  [/^libopencv/, 'OpenCV'],
  [/^libtensorflowlite/, 'TensorFlow Lite'],
  [/^lib(avcodec|avformat|avutil|swscale|ffmpeg)/, 'FFmpeg'],
  [/^libconscrypt/, 'Conscrypt'],
  [/^libbarhopper/, 'ML Kit'],
  [/^libpl_droidsonroids_gif/, 'android-gif-drawable'],
  [/^libjingle_peerconnection/, 'WebRTC'],
  [/^libc\+\+_shared\.so$/, 'C++ runtime'],
  [/^lib(imagepipeline|native-imagetranscoder|gifimage|static-webp|native-filters)\.so$/, 'Fresco'],
  [/^libmapbox/, 'Mapbox'],
  [/^libagora/, 'Agora'],
  [/^libsentry/, 'Sentry'],
  [/^libdatastore_shared_counter/, 'Jetpack DataStore'],
  [/^libandroidx\.graphics\.path/, 'Jetpack Compose'],
  [/^lib(surface_util_jni|image_processing_util_jni)/, 'CameraX'],
];

/** The SDK that probably contains the native library, by its file name; null if unknown. */
export function probableSdk(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return nativeSdks.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
