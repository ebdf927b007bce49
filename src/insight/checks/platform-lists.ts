/** Lists that the platforms publish, and which libraries belong to which SDK. */

/** The day of the last comparison of both lists by Apple; `test/packages/platform-tables.test.ts` fails when it is too long ago. */
export const appleListsCheckedOn = '2026-11-28';

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
  [/^lib(flutter|app|dartjni)\.so$/, 'Flutter'],
  [
    /^lib(react|hermes|jsc\b|jscexecutor|fbjni|fb\.|folly|glog|yoga|turbomodule|jsinspector|jsi\b|rnscreens|reanimated|worklets|gesturehandler)/,
    'React Native',
  ],
  [/^libexpo/, 'Expo'],
  [/^lib(unity|il2cpp|main)\.so$|^lib_burst_generated/, 'Unity'],
  [/^lib(UE4|Unreal)/, 'Unreal Engine'],
  [/^libgodot/, 'Godot'],
  [/^libcocos/, 'Cocos2d-x'],
  [/^libgdx/, 'libGDX'],
  [/^lib(SDL2|SDL3)/, 'SDL'],
  [/^libyoyo\.so$/, 'GameMaker'],
  [/^lib(mono|xamarin|assembl|System\.)/, '.NET Android'],
  [/^libQt\d/, 'Qt'],
  [/^lib(python3|chaquopy)/, 'Python'],
  [/^libnode\.so$/, 'Node.js Mobile'],
  [/^libgojni\.so$/, 'Go Mobile'],
  [/^libj2v8/, 'J2V8'],
  [/^libjnidispatch\.so$/, 'JNA'],
  [/^libc\+\+_shared\.so$|^libgnustl_shared\.so$/, 'C++ runtime'],
  [/^libglide-webp\.so$/, 'Glide WebP'],
  [/^lib(imagepipeline|native-imagetranscoder|gifimage|static-webp|native-filters)\.so$/, 'Fresco'],
  [/^libpl_droidsonroids_gif/, 'android-gif-drawable'],
  [/^libavif/, 'libavif'],
  [/^lib(rive-android|rive)\b/, 'Rive'],
  [/^lib(jniPdfium|modpdfium|modft2|modpng|pdfium|pdfiumandroid)\.so$/, 'PDFium'],
  [/^libmupdf/, 'MuPDF'],
  [/^lib(pspdfkit|nutrient)/i, 'Nutrient'],
  [/^lib(tess|tesseract|lept|leptonica)\.so$/, 'Tesseract'],
  [/^lib(zbarjni|zbar)\.so$/, 'ZBar'],
  [/^lib(opencv)/, 'OpenCV'],
  [/^lib(tensorflowlite|tflite|LiteRt)/, 'TensorFlow Lite'],
  [/^libonnxruntime/, 'ONNX Runtime'],
  [/^lib(pytorch|torch)/, 'PyTorch'],
  [/^libmediapipe/, 'MediaPipe'],
  [/^lib(barhopper|mlkit|face_detector|xeno_native)/, 'ML Kit'],
  [/^libarcore/, 'ARCore'],
  [/^lib(filament|gltfio)/, 'Filament'],
  [/^lib(avcodec|avformat|avutil|avfilter|avdevice|swscale|swresample|ffmpeg|ijk)/, 'FFmpeg'],
  [/^libvlc/, 'libVLC'],
  [/^libjingle_peerconnection/, 'WebRTC'],
  [/^libagora/i, 'Agora'],
  [/^libtwilio/, 'Twilio Video'],
  [/^lib(zoom|mobilertc)/i, 'Zoom'],
  [/^libmapbox/, 'Mapbox'],
  [/^libmaplibre/, 'MapLibre'],
  [/^libheresdk/, 'HERE SDK'],
  [/^libsqlcipher/, 'SQLCipher'],
  [/^libsqlite3?x\.so$|^libsqliteJni\.so$/, 'SQLite'],
  [/^librealm/, 'Realm'],
  [/^libobjectbox/, 'ObjectBox'],
  [/^libLiteCore/, 'Couchbase Lite'],
  [/^libmmkv/, 'MMKV'],
  [/^libzstd-jni/, 'zstd-jni'],
  [/^libcronet/, 'Cronet'],
  [/^libconscrypt/, 'Conscrypt'],
  [/^lib(ssl|crypto)([._]\d[\w.]*)?\.so$/, 'OpenSSL'],
  [/^libsodium/, 'libsodium'],
  [/^libsignal/, 'libsignal'],
  [/^libtoolChecker\.so$/, 'RootBeer'],
  [/^lib(xul|mozglue)\.so$/, 'GeckoView'],
  [/^libcrashlytics/, 'Firebase Crashlytics'],
  [/^libFirebaseCppApp/, 'Firebase C++ SDK'],
  [/^libsentry/, 'Sentry'],
  [/^libbugsnag/, 'BugSnag'],
  [/^libdatadog/, 'Datadog'],
  [/^libembrace/, 'Embrace'],
  [/^libdatastore_shared_counter/, 'Jetpack DataStore'],
  [/^libandroidx\.graphics\.path/, 'Jetpack Compose'],
  [/^lib(surface_util_jni|image_processing_util_jni)/, 'CameraX'],
];

/** The SDK that probably contains the native library, by its file name; null if unknown. */
export function probableSdk(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return nativeSdks.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
