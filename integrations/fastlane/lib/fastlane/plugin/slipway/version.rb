module Fastlane
  module Slipway
    VERSION = "0.1.0"
  end
end
